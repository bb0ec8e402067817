# The HTTP server and the pages it carries.  One file per line, sorted.

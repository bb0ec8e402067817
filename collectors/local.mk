# The collectors.  One file per line, sorted; headers too.

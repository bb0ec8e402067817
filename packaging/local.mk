# What goes beside the programs.

EXTRA_DIST += packaging/dslatd.service.in
EXTRA_DIST += packaging/dslatd.yaml
EXTRA_DIST += packaging/install-deps.sh
EXTRA_DIST += packaging/page.png
EXTRA_DIST += packaging/quickstart.sh

unitdir = $(prefix)/lib/systemd/system
nodist_unit_DATA = packaging/dslatd.service
CLEANFILES += packaging/dslatd.service
packaging/dslatd.service: packaging/dslatd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) packaging && \
	$(SED) -e 's,[@]sbindir[@],$(sbindir),' -e 's,[@]sysconfdir[@],$(sysconfdir),' \
	    $(srcdir)/packaging/dslatd.service.in >$@.tmp && mv $@.tmp $@

# An administrator's configuration is never replaced, and removed only if it is
# still ours.
confdir = $(DESTDIR)$(sysconfdir)/dslat
install-data-local:
	$(MKDIR_P) '$(confdir)'
	test -f '$(confdir)/dslatd.yaml' || \
	    $(INSTALL_DATA) $(srcdir)/packaging/dslatd.yaml '$(confdir)'
uninstall-local:
	! cmp -s $(srcdir)/packaging/dslatd.yaml '$(confdir)/dslatd.yaml' || \
	    rm -f '$(confdir)/dslatd.yaml'

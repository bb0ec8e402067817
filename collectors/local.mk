# The collectors.  One file per line, sorted; headers too.

noinst_HEADERS += collectors/vsphere/classify.h
noinst_HEADERS += collectors/vsphere/counters.h
noinst_HEADERS += collectors/vsphere/devices.h
noinst_HEADERS += collectors/vsphere/gather.h
noinst_HEADERS += collectors/vsphere/gather_private.h
noinst_HEADERS += collectors/vsphere/perf.h
noinst_HEADERS += collectors/vsphere/props.h
noinst_HEADERS += collectors/vsphere/reply.h
noinst_HEADERS += collectors/vsphere/service.h
noinst_HEADERS += collectors/vsphere/soap.h
noinst_HEADERS += collectors/vsphere/storage.h
noinst_HEADERS += collectors/vsphere/storage_private.h
noinst_HEADERS += collectors/vsphere/strings.h
noinst_HEADERS += collectors/vsphere/transport.h
noinst_HEADERS += collectors/vsphere/versions.h
noinst_HEADERS += collectors/vsphere/xml.h
noinst_HEADERS += collectors/vsphere/xsd.h

libdslat_a_SOURCES += collectors/vsphere/classify.c
libdslat_a_SOURCES += collectors/vsphere/counters.c
libdslat_a_SOURCES += collectors/vsphere/devices.c
libdslat_a_SOURCES += collectors/vsphere/gather.c
libdslat_a_SOURCES += collectors/vsphere/gather_build.c
libdslat_a_SOURCES += collectors/vsphere/gather_datastore.c
libdslat_a_SOURCES += collectors/vsphere/perf.c
libdslat_a_SOURCES += collectors/vsphere/props.c
libdslat_a_SOURCES += collectors/vsphere/reply.c
libdslat_a_SOURCES += collectors/vsphere/service.c
libdslat_a_SOURCES += collectors/vsphere/soap.c
libdslat_a_SOURCES += collectors/vsphere/storage.c
libdslat_a_SOURCES += collectors/vsphere/storage_reduce.c
libdslat_a_SOURCES += collectors/vsphere/strings.c
libdslat_a_SOURCES += collectors/vsphere/transport.c
libdslat_a_SOURCES += collectors/vsphere/versions.c
libdslat_a_SOURCES += collectors/vsphere/xml.c
libdslat_a_SOURCES += collectors/vsphere/xsd.c
noinst_HEADERS += collectors/vsphere/poller.h
noinst_HEADERS += collectors/vsphere/refresh.h
noinst_HEADERS += collectors/vsphere/schedule.h
noinst_HEADERS += collectors/vsphere/session.h

libdslat_a_SOURCES += collectors/vsphere/poller.c
libdslat_a_SOURCES += collectors/vsphere/refresh.c
libdslat_a_SOURCES += collectors/vsphere/schedule.c
libdslat_a_SOURCES += collectors/vsphere/session.c
libdslat_a_SOURCES += collectors/vsphere/vsphere.c

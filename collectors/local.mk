# The collectors.  One file per line, sorted; headers too.

noinst_HEADERS += collectors/vsphere/counters.h
noinst_HEADERS += collectors/vsphere/gather.h
noinst_HEADERS += collectors/vsphere/perf.h
noinst_HEADERS += collectors/vsphere/props.h
noinst_HEADERS += collectors/vsphere/reply.h
noinst_HEADERS += collectors/vsphere/service.h
noinst_HEADERS += collectors/vsphere/soap.h
noinst_HEADERS += collectors/vsphere/versions.h
noinst_HEADERS += collectors/vsphere/xml.h

/* versions.h - GET /sdk/vimServiceVersions.xml; pure, any thread. */
#ifndef SIM_VERSIONS_H
#define SIM_VERSIONS_H

#include "dslat/buf.h"
#include "scene.h"

void versions_xml(const struct scene *s, struct buf *out);

#endif

/* A Slurm plugin that knows Pyxis's options and hands their values to the task as PYXIS_0, PYXIS_1 ... */
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>

SPANK_PLUGIN(pyxis_options, 1);

static char *names[] = {"container-image", "container-mounts", "container-workdir", "container-name", NULL};

static int keep(int value, const char *text, int remote) {
  char name[32];
  if (!remote && text) {
    snprintf(name, sizeof name, "PYXIS_%d", value);
    setenv(name, text, 1);
  }
  return 0;
}

int slurm_spank_init(spank_t spank, int count, char **words) {
  for (int i = 0; names[i]; i++) {
    struct spank_option option = {names[i], "TEXT", "as in Pyxis", 1, i, keep};
    spank_option_register(spank, &option);
  }
  return 0;
}

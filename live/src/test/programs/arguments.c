/* Says what it was given; ends as its first argument says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "traced.h"

TRACED int echo(const char *line) { return printf("read %s", line); }
TRACED int said(int i, const char *text) { return printf("%d [%s]\n", i, text); }

int main(int argc, char **argv) {
  char line[256];
  for (int i = 1; i < argc; i++) said(i, argv[i]);
  while (fgets(line, sizeof line, stdin)) echo(line);
  fprintf(stderr, "%d arguments\n", argc - 1);
  return argc > 1 ? (int)strtoul(argv[1], 0, 0) : 0;
}

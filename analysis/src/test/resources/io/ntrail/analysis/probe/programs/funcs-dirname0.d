#pragma D option quiet
BEGIN {
  printf("|%s|\n", dirname("/foo/bar/baz"));
  printf("|%s|\n", dirname("/foo/bar///baz/"));
  printf("|%s|\n", dirname("/foo/bar/baz/"));
  printf("|%s|\n", dirname("/foo/bar/baz//"));
  printf("|%s|\n", dirname("/foo/bar/baz/."));
  printf("|%s|\n", dirname("/foo/bar/baz/./"));
  printf("|%s|\n", dirname("/foo/bar/baz/.//"));
  printf("|%s|\n", dirname("foo/bar/baz/"));
  printf("|%s|\n", dirname("/"));
  printf("|%s|\n", dirname("./"));
  printf("|%s|\n", dirname("//"));
  printf("|%s|\n", dirname("/."));
  printf("|%s|\n", dirname("/./"));
  printf("|%s|\n", dirname("/./."));
  printf("|%s|\n", dirname("/.//"));
  printf("|%s|\n", dirname("."));
  printf("|%s|\n", dirname("f"));
  printf("|%s|\n", dirname("f/"));
  printf("|%s|\n", dirname("/////"));
  printf("|%s|\n", dirname(""));
  exit(0);
}

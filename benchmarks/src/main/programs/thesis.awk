# Writes C: functions that call each other in rows of four, and do some work by one that is elsewhere.
# The letter in front says to which sets a function belongs: a to all, b to all but the smallest, and so on;
# of 50,000 functions the sets a to h have 10, 100, 1,000, 10,000, 20,000, 30,000, 40,000 and 50,000.
#
#   awk -v count=N -v from=N -v to=N    functions of these numbers
#   awk -v count=N -v table=1           what calls the first of each row
function name(i) {
  return sprintf("%s_%05d", i % 5000 == 0 ? "a" : i % 500 == 0 ? "b" : i % 50 == 0 ? "c" : substr("defgh", i % 5 + 1, 1), i)
}
BEGIN {
  print "int work(int x);"
  if (table) {
    for (i = 0; i < count; i += 4) printf "int %s(int x);\n", name(i)
    print "int (*const rows[])(int) = {"
    for (i = 0; i < count; i += 4) printf "%s,\n", name(i)
    print "};\nconst int row_count = sizeof rows / sizeof rows[0];"
  } else {
    for (i = from; i < to; i++) {
      if (i % 4 < 3) printf "int %s(int x); ", name(i + 1)
      printf "int %s(int x) { x = work(x ^ %d); return x + %s; }\n",
        name(i), i * 7 + 1, i % 4 < 3 ? name(i + 1) "(x)" : "1"
    }
  }
}

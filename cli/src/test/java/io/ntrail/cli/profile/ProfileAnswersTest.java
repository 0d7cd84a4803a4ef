package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.profile.ProfileQuery;
import io.ntrail.testkit.profile.ProfileTable;
import org.junit.jupiter.api.Test;

/** The comparison itself accepts what is equal and nothing else. */
class ProfileAnswersTest {
  private static final ProfileQuery CPU = ProfileQuery.of("cpu");

  private static JsonReader answer(long total, String rows) {
    return JsonReader.parse(
        "{\"metric\":\"cpu\",\"unit\":\"samples\",\"total\":%d,\"idle\":1,\"rows\":[%s],\"rowsLeftOut\":0}"
            .formatted(total, rows));
  }

  private static String row(String keys, long self, long inclusive) {
    return "{%s,\"self\":%d,\"inclusive\":%d}".formatted(keys, self, inclusive).replace('\'', '"');
  }

  private static final String RANGE =
      "'process':null,'pid':null,'module':'a.exe','function':null,'rva':'0x1200'";
  private static final String METHOD = "'module':'(jitted)','function':'N.M','rva':null";
  private static final String UNKNOWN = "'module':'(unknown)','function':null,'rva':null";
  private static final String NONE = "'module':null,'function':null,'rva':null";

  @Test
  void functions() {
    ProfileTable table =
        new ProfileTable(10, 1)
            .row("a.exe+0x1200", 3, 4)
            .row("(jitted)!N.M", 2, 2)
            .row("(unknown)", 1, 1);
    String rows = row(RANGE, 3, 4) + "," + row(METHOD, 2, 2) + "," + row(UNKNOWN, 1, 1);
    ProfileAnswers.compare(answer(10, rows), CPU, table);
    ProfileAnswers.compare(answer(10, rows + "," + row(NONE, 4, 4)), CPU, table);
    fails(answer(10, rows + "," + row(NONE, 40, 40)), CPU, table);
    fails(answer(11, rows), CPU, table);
    fails(answer(10, rows + "," + row(UNKNOWN, 1, 1)), CPU, table);
    fails(answer(10, row(RANGE, 3, 5) + "," + row(METHOD, 2, 2)), CPU, table);
    fails(answer(10, row(RANGE, 3, 4) + "," + row(METHOD, 2, 2)), CPU, table);
  }

  @Test
  void threadsAndProcesses() {
    ProfileTable table = new ProfileTable(10, 1).row("100/101", 7, 7).row("?/?", 3, 3);
    ProfileQuery by = CPU.by("thread");
    String named = row("'pid':100,'tid':101", 7, 7) + "," + row("'pid':null,'tid':null", 3, 3);
    ProfileAnswers.compare(answer(10, named), by, table);
    String alone = row("'tid':101", 7, 7) + "," + row("'tid':null", 3, 3);
    ProfileAnswers.compare(answer(10, alone), by, table);
    fails(answer(10, row("'pid':200,'tid':101", 7, 7)), by, table);
    // Two lives of one thread id may be two rows, each rounded down.
    String lives = row("'pid':100,'tid':101", 3, 3) + "," + row("'pid':100,'tid':101", 3, 3);
    ProfileAnswers.compare(answer(10, lives + "," + row("'pid':null,'tid':null", 3, 3)), by, table);
    ProfileTable processes = new ProfileTable(10, 1).row("a.exe:100", 9, 9).row("?:?", 1, 1);
    String rows = row("'process':'a.exe','pid':100", 9, 9) + "," + row("'process':null", 1, 1);
    ProfileAnswers.compare(answer(10, rows), CPU.by("process"), processes);
  }

  private static void fails(JsonReader answer, ProfileQuery query, ProfileTable table) {
    assertThrows(AssertionError.class, () -> ProfileAnswers.compare(answer, query, table));
  }
}

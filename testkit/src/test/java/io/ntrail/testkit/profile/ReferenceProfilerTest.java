package io.ntrail.testkit.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ReferenceProfilerTest {
  @TestFactory
  Stream<DynamicTest> handTables() {
    return WorkedExamples.all().stream()
        .map(table -> DynamicTest.dynamicTest(table.toString(), () -> check(table)));
  }

  private static void check(WorkedExample table) {
    byte[] file = table.recording().toByteArray();
    ProfileTable actual = ReferenceProfiler.of(file).table(table.query());
    assertEquals(table.expected().text(), actual.text());
    table
        .expected()
        .counters()
        .forEach((name, value) -> assertEquals(value, actual.counters().get(name), name));
  }
}

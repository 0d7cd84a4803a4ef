package io.ntrail.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paths of sessions that Windows started are those of programs here. */
class RecordMachineTest {
  @ParameterizedTest
  @CsvSource({
    "C:\\rec\\shop.etl, C:\\rec\\shop.etl",
    "\\??\\C:\\rec\\shop.etl, C:\\rec\\shop.etl",
    "%SystemRoot%\\System32\\LogFiles\\WMI\\trace.log, D:\\Win\\System32\\LogFiles\\WMI\\trace.log",
    "%systemroot%\\trace.log, D:\\Win\\trace.log",
    "\\SystemRoot\\System32\\trace.log, D:\\Win\\System32\\trace.log",
    "\\SystemRoots\\trace.log, \\SystemRoots\\trace.log",
  })
  void aPathIsThatOfPrograms(String path, String expected) {
    assertEquals(expected, RecordMachine.local(path, "D:\\Win"));
  }
}

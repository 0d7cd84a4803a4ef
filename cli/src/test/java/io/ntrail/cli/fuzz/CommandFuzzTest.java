package io.ntrail.cli.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Commands as a whole over files with arbitrary changes. */
class CommandFuzzTest {
  @FuzzTest(maxDuration = "700s")
  void info(byte[] data) {
    FuzzedCommands.INFO.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void events(byte[] data) {
    FuzzedCommands.EVENTS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void profile(byte[] data) {
    FuzzedCommands.PROFILE.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void stacks(byte[] data) {
    FuzzedCommands.STACKS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void stacksOfDumps(byte[] data) {
    FuzzedCommands.DUMPS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void stacksOfFolders(byte[] data) {
    FuzzedCommands.CRASHES.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void image(byte[] data) {
    FuzzedCommands.IMAGE.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void symbols(byte[] data) {
    FuzzedCommands.SYMBOLS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void calls(byte[] data) {
    FuzzedCommands.CALLS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void diff(byte[] data) {
    FuzzedCommands.DIFF.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void export(byte[] data) {
    FuzzedCommands.EXPORT.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void probesOfEvents(byte[] data) {
    FuzzedCommands.PROBES_OF_EVENTS.check(data);
  }

  @FuzzTest(maxDuration = "700s")
  void probesOfCalls(byte[] data) {
    FuzzedCommands.PROBES_OF_CALLS.check(data);
  }
}

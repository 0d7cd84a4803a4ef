package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Win32 errors that calls of sessions have, in words. */
class SessionFailureTest {
  /**
   * Errors that controllers of sessions see: the usual ones of the calls, what
   * AdjustTokenPrivileges leaves, what settings of counters have in virtual machines, and a stop
   * that is under way.
   */
  static final List<Integer> CODES =
      List.of(
          2, 3, 5, 8, 24, 32, 50, 87, 112, 122, 161, 170, 183, 234, 1300, 1313, 1314, 1450, 1502,
          2402, 4201);

  /** Words that each has to have: typed by hand. */
  private static final Map<Integer, String> WORDS =
      Map.ofEntries(
          Map.entry(2, "folder of the recording does not exist"),
          Map.entry(3, "folder of the recording does not exist"),
          Map.entry(5, "administrator rights"),
          Map.entry(8, "no memory"),
          Map.entry(24, "form of the request"),
          Map.entry(32, "another program"),
          Map.entry(50, "does not have what is asked for"),
          Map.entry(87, "refuses the values"),
          Map.entry(112, "disk of the recording is full"),
          Map.entry(122, "longer than expected"),
          Map.entry(161, "another session writes it"),
          Map.entry(170, "another session or program"),
          Map.entry(183, "runs already"),
          Map.entry(234, "longer than expected"),
          Map.entry(1300, "SeSystemProfilePrivilege"),
          Map.entry(1313, "SeSystemProfilePrivilege"),
          Map.entry(1314, "SeSystemProfilePrivilege"),
          Map.entry(1450, "sessions"),
          Map.entry(1502, "file of the recording is full"),
          Map.entry(2402, "being stopped"),
          Map.entry(4201, "no session of this name runs"));

  @Test
  void everyErrorHasWordsItsNumberAndANextStep() {
    for (int code : CODES) {
      SessionFailure failure = new SessionFailure("StartTrace", code);
      String words = WORDS.getOrDefault(code, "nothing");
      assertTrue(failure.message().contains(words), failure.message());
      assertTrue(failure.message().contains("(StartTrace: " + code + ", "), failure.message());
      assertFalse(failure.nextStep().isEmpty(), code + " has no next step");
    }
  }

  @Test
  void anErrorThatIsNotKnownHasItsNumberAndNoAdvice() {
    SessionFailure unknown = new SessionFailure("StartTrace", 1359);
    assertTrue(unknown.message().startsWith("Windows refuses (StartTrace: 1359"));
    assertEquals("", unknown.nextStep());
  }

  @Test
  void whatIsFullOrTakenDependsOnTheCall() {
    assertTrue(new SessionFailure("StartTrace", 112).message().contains("--max-size"));
    assertFalse(new SessionFailure("ControlTrace", 112).message().contains("--max-size"));
    assertTrue(new SessionFailure("StartTrace", 1450).message().contains("64; 8 of the kernel"));
    String setting = new SessionFailure("TraceSetInformation", 1450).message();
    assertFalse(setting.contains("64"), setting);
    assertNotEquals(setting, new SessionFailure("EnableTraceEx2", 1450).message());
  }
}

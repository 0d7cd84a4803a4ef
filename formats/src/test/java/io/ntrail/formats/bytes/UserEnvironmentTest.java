package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserEnvironmentTest {
  private static Map<String, String> restored(Map<String, String> environment) {
    Map<String, String> changed = new HashMap<>(environment);
    UserEnvironment.restore(changed);
    return changed;
  }

  @Test
  void theUsersLocaleComesBack() {
    assertEquals(
        Map.of("LC_ALL", "C", "LANG", "C"),
        restored(Map.of("NTRAIL_LC_ALL", "C", "LC_ALL", "C.UTF-8", "LANG", "C")));
  }

  @Test
  void aLocaleThatWasNotSetIsNotSet() {
    assertEquals(Map.of(), restored(Map.of("NTRAIL_LC_ALL", "", "LC_ALL", "C.UTF-8")));
  }

  @Test
  void aLocaleThatWasNotReplacedStays() {
    assertEquals(Map.of("LC_ALL", "de_DE.UTF-8"), restored(Map.of("LC_ALL", "de_DE.UTF-8")));
  }
}

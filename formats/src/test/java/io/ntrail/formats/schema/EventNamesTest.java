package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** Display names of events. */
class EventNamesTest {
  @Test
  void ownNameComesFirst() {
    assertEquals("Own", EventNames.of(" Own ", "Task", "Start"));
    assertEquals("Task/Start", EventNames.of(" ", "Task ", "Start "));
    assertEquals("Task/Start", EventNames.of(null, "win:Task", "win:Start"));
  }

  @Test
  void informationalOpcodeIsOmitted() {
    assertEquals("Task", EventNames.of(null, "Task", null));
    assertEquals("Task", EventNames.of(null, "Task", " "));
    assertEquals("Task", EventNames.of(null, "Task", "win:Info "));
    assertEquals("Task", EventNames.of(null, "Task", "info"));
  }

  @Test
  void withoutNameAndTaskThereIsNone() {
    assertNull(EventNames.of(null, null, "Start"));
    assertNull(EventNames.of("", " ", "Start"));
  }
}

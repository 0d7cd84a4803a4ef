package io.ntrail.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Reason of an end that nobody asked for, from sizes worked out by hand. */
class SessionEndingTest {
  private static final long MEBIBYTE = 1 << 20;
  private static final long MUCH = 100_000 * MEBIBYTE;

  @Test
  void aFileThatEndsIsFullWhenNoBufferFits() {
    assertEquals("its file is full (64 MiB)", SessionEnding.told(64, 1024, 64 * MEBIBYTE, MUCH));
    assertEquals("its file is full (64 MiB)", SessionEnding.told(64, 1024, 63 * MEBIBYTE + 1, 0));
    assertFalse(SessionEnding.told(64, 1024, 63 * MEBIBYTE, MUCH).contains("full"));
  }

  @Test
  void aRingIsNeverFull() {
    assertFalse(SessionEnding.told(0, 1024, 64 * MEBIBYTE, MUCH).contains("full"));
  }

  @Test
  void aDiskWithoutRoomForABufferIsFull() {
    assertTrue(
        SessionEnding.told(0, 1024, MEBIBYTE, 16 * MEBIBYTE - 1)
            .startsWith("its disk is full (16 MiB free); Windows keeps errors"));
    String other = SessionEnding.told(0, 1024, MEBIBYTE, 16 * MEBIBYTE);
    assertTrue(other.startsWith("it was stopped, or failed; "), other);
    assertTrue(other.endsWith(" Microsoft-Windows-Kernel-EventTracing/Admin"), other);
  }

  @Test
  void aDiskThatCannotBeAskedIsNotCalledFull() {
    assertFalse(SessionEnding.told(0, 1024, MEBIBYTE, -1).contains("full"));
  }
}

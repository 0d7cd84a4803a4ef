package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** Native memory that is used again. */
class SpareBuffersTest {
  private static final int LARGE = 40 << 20;

  private static void assertFreed(Bytes window) {
    assertThrows(IllegalStateException.class, () -> window.u8(0));
  }

  @Test
  void isTakenAgainIfItIsLargeEnough() {
    try (SpareBuffers spare = new SpareBuffers()) {
      NativeBuffer first = spare.take(100);
      NativeBuffer second = spare.take(100);
      assertNotSame(first, second);
      spare.giveBack(first);
      assertSame(first, spare.take(90));
      spare.giveBack(second);
      NativeBuffer larger = spare.take(200);
      assertNotSame(second, larger);
      assertEquals(200, larger.capacity());
      spare.giveBack(first);
      spare.giveBack(larger);
    }
  }

  @Test
  void isFreedAtTheEndAndBeyondALimit() {
    SpareBuffers spare = new SpareBuffers();
    NativeBuffer first = spare.take(LARGE);
    NativeBuffer second = spare.take(LARGE);
    NativeBuffer late = spare.take(8);
    Bytes kept = first.view(1, "first", 0);
    Bytes beyond = second.view(1, "second", 0);
    spare.giveBack(first);
    spare.giveBack(second);
    assertFreed(beyond);
    assertEquals(0, kept.u8(0));
    spare.close();
    assertFreed(kept);
    Bytes window = late.view(1, "late", 0);
    spare.giveBack(late);
    assertFreed(window);
  }
}

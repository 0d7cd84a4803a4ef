package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.code.TracedReturn;
import io.ntrail.live.code.ia32.Ia32Architecture;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Return addresses of traced frames in a copied stack of 32-bit words. */
final class UntracedStackTest {
  private static final long STACK = 0x21_F000;
  private static final long SLOT = 0x6B1_0200;
  private static final long RETURN = SLOT + 0x123;
  private static final long CALLER = 0x42_4D90;

  /** A stack of zeros but for some words. */
  private static Range stack(int words, long value, int... at) {
    BytesBuilder bytes = new BytesBuilder(4 * words);
    for (int i = 0; i < words; i++) {
      int word = i;
      bytes.u32((int) (IntStream.of(at).anyMatch(one -> one == word) ? value : 0));
    }
    return new Range(STACK, Bytes.copyOf(bytes.toArray(), "stack"));
  }

  private static List<Integer> wordsOf(long value, Range range) {
    return IntStream.range(0, range.bytes().length() / 4)
        .filter(i -> range.bytes().u32(4 * i) == value)
        .boxed()
        .toList();
  }

  private static Range untraced(Range range, TracedReturn... returns) {
    return UntracedStack.untraced(range, List.of(returns), new Ia32Architecture());
  }

  @Test
  void aFunctionThatAlignsItsStackHasACopyBesideItsFramePointer() {
    // push edi; lea edi, [esp + 8]; and esp, -16; push [edi - 4]; push ebp
    Range range = stack(64, RETURN, 40, 36, 12);
    Range made = untraced(range, new TracedReturn(STACK + 160, SLOT, 512, CALLER));
    assertEquals(List.of(36, 40), wordsOf(CALLER, made));
    // What lies far below is of earlier calls.
    assertEquals(List.of(12), wordsOf(RETURN, made));
  }

  @Test
  void aCopyAfterATailCallIsThatOfTheOutermostSlotsCaller() {
    Range range = stack(64, RETURN + 512, 40, 37);
    Range made =
        untraced(
            range,
            new TracedReturn(STACK + 160, SLOT + 512, 512, RETURN),
            new TracedReturn(STACK + 160, SLOT, 512, CALLER));
    assertEquals(List.of(37, 40), wordsOf(CALLER, made));
  }

  @Test
  void placesOutsideOfWhatWasCopiedAreLeftAlone() {
    Range range = stack(8, RETURN, 7);
    assertEquals(
        List.of(7),
        wordsOf(CALLER, untraced(range, new TracedReturn(STACK + 40, SLOT, 512, CALLER))));
    assertEquals(
        List.of(),
        wordsOf(CALLER, untraced(range, new TracedReturn(STACK - 4, SLOT, 512, CALLER))));
  }
}

package io.ntrail.live.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Frames of signals as Linux 6.1 put them onto the signal stacks of programs under Wine 8: numbers
 * of the addresses are those that were seen in suspended threads.
 */
final class SignalFrameTest {
  /** The upper half of the block of a thread of either machine. */
  private static final int TOP = 0x8000;

  private static final byte[] BEHIND_SYSCALL = {0x0F, 0x05, 0x48, 0x3D};
  private static final byte[] AT_SYSCALL = {0x00, 0x00, 0x0F, 0x05};
  private static final byte[] BEHIND_SIGPROCMASK = {0x0F, 0x05, (byte) 0x89, (byte) 0xC2};
  private static final byte[] BEHIND_INT_80 = {(byte) 0xCD, (byte) 0x80, 0x5D, 0x5A};
  private static final byte[] AT_INT_80 = {0x0F, 0x34, (byte) 0xCD, (byte) 0x80};
  private static final byte[] OTHER = {0x00, 0x55, (byte) 0xE4, 0x01};

  private static Optional<SignalFrame> x64(int signal, long stack, long result) {
    return x64(signal, stack, result, 0, 0);
  }

  private static Optional<SignalFrame> x64(
      int signal, long stack, long result, long rdi, long r10) {
    BytesBuilder bytes = new BytesBuilder(TOP).zeros(TOP);
    int at = 0x67FE_F490 - 0x67FE_8000;
    bytes.setU64(at, stack).setU64(at + 16, 0xC800);
    bytes.setU64(at + 24 + 2 * 8, r10).setU64(at + 24 + 8 * 8, rdi);
    bytes.setU64(at + 24 + 13 * 8, result);
    bytes.setU64(at + 24 + 16 * 8, 0x7F8D_3EA8_5954L);
    bytes.setU32(at + 24 + 256 + 8, signal);
    return SignalFrame.find(Bytes.copyOf(bytes.toArray(), "stack"), 0x67FE_8000L, true);
  }

  private static Optional<SignalFrame> ia32(long result) {
    return ia32(result, 0, 0);
  }

  private static Optional<SignalFrame> ia32(long result, int ebx, int esi) {
    BytesBuilder bytes = new BytesBuilder(TOP).zeros(TOP);
    int at = 0x3FFE_F554 - 0x3FFE_8000;
    bytes.setU32(at, 0x3FFE_3800).setU32(at + 8, 0xC800);
    bytes.setU32(at + 12 + 5 * 4, esi).setU32(at + 12 + 8 * 4, ebx);
    bytes.setU32(at + 12 + 11 * 4, (int) result);
    bytes.setU32(at + 12 + 14 * 4, 0xF7F7_65E9);
    bytes.setU32(at - 136, 10);
    return SignalFrame.find(Bytes.copyOf(bytes.toArray(), "stack"), 0x3FFE_8000L, false);
  }

  @Test
  void theRegistersOfTheInterruptedCodeAreFound() {
    SignalFrame frame = x64(10, 0x67FE_3800L, -4).orElseThrow();
    assertEquals(0x7F8D_3EA8_5954L, frame.instruction());
    assertEquals(-4, frame.result());
    assertEquals(0xF7F7_65E9L, ia32(-4).orElseThrow().instruction());
  }

  @Test
  void aThreadThatASignalWokeWasWaiting() {
    assertTrue(x64(10, 0x67FE_3800L, -4).orElseThrow().isWaiting(BEHIND_SYSCALL));
    assertTrue(ia32(-4).orElseThrow().isWaiting(BEHIND_INT_80));
  }

  @Test
  void aThreadWhoseReadBeginsAnewWasWaiting() {
    assertTrue(x64(10, 0x67FE_3800L, 0).orElseThrow().isWaiting(AT_SYSCALL));
    assertTrue(ia32(3).orElseThrow().isWaiting(AT_INT_80));
  }

  @Test
  void aThreadThatGetsMemoryFromTheSystemWasNotWaiting() {
    assertFalse(x64(10, 0x67FE_3800L, 12).orElseThrow().isWaiting(AT_SYSCALL), "before brk");
    assertFalse(
        x64(10, 0x67FE_3800L, 0x55AA_0000L).orElseThrow().isWaiting(BEHIND_SYSCALL), "behind it");
    assertFalse(ia32(45).orElseThrow().isWaiting(AT_INT_80));
  }

  @Test
  void aThreadInOtherCodeWasNotWaiting() {
    assertFalse(x64(10, 0x67FE_3800L, -4).orElseThrow().isWaiting(OTHER));
    assertFalse(x64(10, 0x67FE_3800L, -4).orElseThrow().isWaiting(new byte[0]));
    assertFalse(ia32(-4).orElseThrow().isWaiting(BEHIND_SYSCALL));
  }

  @Test
  void aThreadThatHadJustSwitchedSignalsOnIsKnownByTheArgumentsOfItsSystemCall() {
    assertTrue(x64(10, 0x67FE_3800L, 0, 2, 8).orElseThrow().isUnblocking(BEHIND_SIGPROCMASK));
    assertTrue(ia32(0, 2, 8).orElseThrow().isUnblocking(BEHIND_INT_80));
  }

  @Test
  void aThreadThatGotOrReturnedMemoryHadNotSwitchedSignalsOn() {
    long block = 0x7F8D_3000_0000L;
    SignalFrame munmap = x64(10, 0x67FE_3800L, 0, block, 8).orElseThrow();
    SignalFrame mmap = x64(10, 0x67FE_3800L, block, 0, 0x22).orElseThrow();
    SignalFrame failed = x64(10, 0x67FE_3800L, -12, 0, 8).orElseThrow();
    for (SignalFrame frame : new SignalFrame[] {munmap, mmap, failed}) {
      assertFalse(frame.isUnblocking(BEHIND_SYSCALL), frame::toString);
    }
    assertFalse(ia32(0, 0x5600_0000, 8).orElseThrow().isUnblocking(BEHIND_INT_80));
    assertFalse(ia32(0, 0xF7C0_0000, 8).orElseThrow().isUnblocking(BEHIND_INT_80));
  }

  @Test
  void aThreadInOtherCodeHadNotSwitchedSignalsOn() {
    assertFalse(x64(10, 0x67FE_3800L, 0, 2, 8).orElseThrow().isUnblocking(OTHER));
    assertFalse(x64(10, 0x67FE_3800L, 0, 2, 8).orElseThrow().isUnblocking(AT_SYSCALL));
    assertFalse(x64(10, 0x67FE_3800L, 0, 2, 8).orElseThrow().isUnblocking(new byte[0]));
  }

  @Test
  void framesOfOtherSignalsAndWordsThatOnlyLookLikeOneAreNone() {
    assertEquals(Optional.empty(), x64(11, 0x67FE_3800L, -4));
    assertEquals(Optional.empty(), x64(10, 0x67FE_F800L, -4), "a stack that is elsewhere");
    assertEquals(Optional.empty(), x64(10, 0x67FE_0000L, -4), "one that ends before the frame");
    assertEquals(Optional.empty(), SignalFrame.find(Bytes.copyOf(new byte[TOP], "stack"), 0, true));
    assertEquals(Optional.empty(), SignalFrame.find(Bytes.copyOf(new byte[16], "stack"), 0, true));
  }
}

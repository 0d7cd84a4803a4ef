package io.ntrail.analysis.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.testkit.LittleEndian;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A walk beside the return addresses that the processor kept. */
class ShadowStackCheckTest {
  private static final long POINTER = 0x2000;

  private record Words(Bytes bytes) implements AddressSpace {
    @Override
    public String name() {
      return "words";
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      return bytes.slice(0, address == POINTER ? Math.min(most, bytes.length()) : 0);
    }
  }

  private static ShadowStackCheck check(List<Long> kept, long... ips) {
    LittleEndian words = new LittleEndian();
    kept.forEach(words::u64);
    List<StackFrame> frames =
        LongStream.of(ips)
            .mapToObj(ip -> {
              FrameRegisters registers = FrameRegisters.x64();
              registers.setIp(ip);
              return new StackFrame(FrameTrust.UNWIND, registers);
            })
            .toList();
    return ShadowStackCheck.of(
        new Words(Bytes.copyOf(words.toByteArray(), "words")), frames, POINTER);
  }

  @Test
  void everyFrameReturnsWhereTheProcessorKept() {
    assertEquals(
        new ShadowStackCheck(2, OptionalInt.empty(), 0), check(List.of(11L, 12L, 13L), 10, 11, 12));
  }

  @Test
  void theFirstFrameThatReturnsElsewhereIsTold() {
    assertEquals(
        new ShadowStackCheck(2, OptionalInt.of(1), 99), check(List.of(11L, 99L, 13L), 10, 11, 12));
  }

  @Test
  void onlySavedMemoryIsCompared() {
    assertEquals(
        new ShadowStackCheck(1, OptionalInt.empty(), 0), check(List.of(11L), 10, 11, 12, 13));
    assertEquals(new ShadowStackCheck(0, OptionalInt.empty(), 0), check(List.of(), 10, 11));
  }
}

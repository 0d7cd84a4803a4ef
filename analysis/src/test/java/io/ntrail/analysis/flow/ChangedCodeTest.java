package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.x86.CodeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Code that is written anew while its trace goes on, as a just-in-time compiler does it. */
class ChangedCodeTest {
  private static final long BASE = 0x100000;

  /** Memory whose bytes change. */
  private static final class Memory implements AddressSpace {
    private byte[] bytes;

    Memory(String hex) {
      bytes = Flows.bytes(hex);
    }

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      return Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      long into = address - BASE;
      Bytes all = Bytes.copyOf(bytes, name());
      return into < 0 || into >= bytes.length
          ? all.slice(0, 0)
          : all.slice((int) into, (int) Math.min(most, bytes.length - into));
    }
  }

  /** Addresses that were executed, without the base. */
  private static final class Addresses implements FlowSink {
    private final List<String> found = new ArrayList<>();

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      long address = blocks.start(block);
      for (int i = 0; i < count; i++) {
        found.add(Long.toHexString(address - BASE));
        address += blocks.length(block, i);
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      // No instruction.
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      found.add(error.toString());
    }
  }

  private static List<String> follow(String before, String after, long address, long length) {
    return follow(before, after, 2, address, length);
  }

  /** Follows five branches that are taken, and changes the code behind some of them. */
  private static List<String> follow(
      String before, String after, int branches, long address, long length) {
    Memory memory = new Memory(before);
    Addresses addresses = new Addresses();
    byte[] packets = Flows.bytes(Flows.PSB + "9901 7d000010000000 0223 06 06 06 06 06");
    try (InputFile stream = InputFile.of(packets, "stream")) {
      PacketCursor cursor = new PacketCursor(stream, Set.of());
      FlowDecoder decoder =
          new FlowDecoder(
              cursor,
              new CodeBlocks(memory),
              new FlowSettings(Set.of(), Resync.EVENT, CodeSize.BITS64),
              addresses);
      int tnts = 0;
      while (cursor.next()) {
        decoder.take();
        if (cursor.type() == PacketType.TNT8 && ++tnts == branches) {
          memory.bytes = Flows.bytes(after);
          if (length > 0) {
            decoder.codeChanged(BASE + address, length);
          }
        }
      }
    }
    return addresses.found;
  }

  // nop; nop; jnz 0, and 66 nop (two bytes in one instruction); jnz 0.
  private static final String TWO = "90 90 75fc";
  private static final String ONE = "6690 75fc";

  @Test
  void codeThatIsSaidToHaveChangedIsLookedAtAgain() {
    assertEquals(
        List.of("0", "1", "2", "0", "1", "2", "0", "2", "0", "2", "0", "2"),
        follow(TWO, ONE, 0, 1));
  }

  @Test
  void aChangeOfTheLastByteOfABlockCounts() {
    // The loop goes to its second instruction from now on, once it is there.
    assertEquals(
        List.of("0", "1", "2", "0", "1", "2", "0", "1", "2", "1", "2", "1", "2"),
        follow(TWO, "90 90 75fd", 3, 1));
  }

  @Test
  void codeThatWasMissingIsLookedAtWhenItIsThere() {
    assertEquals(List.of("0", "2", "0", "2", "0"), follow("7400", "7400 75fc", 1, 2, 2));
    assertEquals(List.of("0", "NO_CODE"), follow("7400", "7400 75fc", 1, 0, 0));
  }

  @Test
  void aChangeOfOtherCodeChangesNothing() {
    assertEquals(follow(TWO, TWO, 0, 0), follow(TWO, TWO, 0x1000, 0x1000));
    assertEquals(follow(TWO, TWO, 0, 0), follow(TWO, TWO, -0x1000, 0x800));
  }

  @Test
  void codeIsTakenToBeTheSameIfNobodySaysOtherwise() {
    assertEquals(follow(TWO, TWO, 0, 0), follow(TWO, ONE, 0, 0));
  }
}

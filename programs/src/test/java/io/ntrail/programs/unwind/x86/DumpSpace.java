package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.testkit.dump.ReferenceMinidump;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The memory and the modules of a dump that the second reader has read. */
final class DumpSpace implements AddressSpace, LoadedModules {
  /** Registers in the order of their numbers. */
  static final List<String> NAMES = List.of("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi");

  private record Piece(MemoryRegion region, Bytes bytes) {}

  private final List<Piece> pieces;
  private final Map<ReferenceMinidump.Module, LoadedModule> modules = new HashMap<>();

  DumpSpace(ReferenceMinidump dump, Map<String, PeImage> images) {
    this.pieces =
        dump.memory().stream()
            .map(memory ->
                new Piece(
                    new MemoryRegion(memory.address(), memory.bytes().remaining(), Set.of(), ""),
                    Bytes.copyOf(memory.copy(), "dump")))
            .toList();
    for (ReferenceMinidump.Module module : dump.modules()) {
      Optional<PeImage> image = Optional.ofNullable(images.get(module.baseName()));
      modules.put(module, new LoadedModule(module.baseName(), module.base(), module.size(), image));
    }
  }

  @Override
  public String name() {
    return "dump";
  }

  private Optional<Piece> piece(long address) {
    return pieces.stream().filter(piece -> piece.region.contains(address)).findFirst();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return piece(address).map(Piece::region);
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Optional<Piece> piece = piece(address);
    if (piece.isEmpty()) {
      return Bytes.copyOf(new byte[0], "dump");
    }
    int at = (int) (address - piece.get().region.start());
    return piece.get().bytes.slice(at, Math.min(most, piece.get().bytes.length() - at));
  }

  @Override
  public Optional<LoadedModule> at(long address) {
    return modules.values().stream().filter(module -> module.contains(address)).findFirst();
  }

  /** Returns the limits of the stack of a thread: what was captured of it. */
  static StackLimits limits(ReferenceMinidump.Thread thread) {
    return new StackLimits(thread.stack(), thread.stack() + thread.stackBytes());
  }

  /** Returns registers by their names. */
  static FrameRegisters registers(Map<String, Long> values) {
    FrameRegisters registers = FrameRegisters.x86();
    values.forEach((name, value) -> {
      if (name.equals("eip")) {
        registers.setIp(value);
      } else {
        registers.set(NAMES.indexOf(name), value);
      }
    });
    return registers;
  }
}

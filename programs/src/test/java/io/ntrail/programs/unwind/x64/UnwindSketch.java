package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A flat x64 image of 64 KiB for tests of unwinding: code, unwind information and function entries
 * at RVAs of the test's choice, and memory that consists of byte arrays at addresses.
 */
final class UnwindSketch {
  static final long BASE = 0x7FF6_0000_0000L;
  static final long STACK = 0x12_0000L;

  private static final int SIZE = 0x1_0000;
  private static final int TABLE = 0xF000;

  private final byte[] image = new byte[SIZE];
  private final TreeMap<Long, long[]> entries = new TreeMap<>();
  private final TreeMap<Long, byte[]> memory = new TreeMap<>(Long::compareUnsigned);
  private boolean hasCodeInMemory = true;

  /** Puts bytes at an RVA. */
  UnwindSketch at(long rva, String hex) {
    return at(rva, HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  /** Puts bytes at an RVA, as many as fit. */
  UnwindSketch at(long rva, byte[] bytes) {
    System.arraycopy(bytes, 0, image, (int) rva, Math.min(bytes.length, SIZE - (int) rva));
    return this;
  }

  /** Adds a function entry to the table. */
  UnwindSketch entry(long begin, long end, long info) {
    entries.put(begin, new long[] {begin, end, info});
    return this;
  }

  /** Puts memory at an address. */
  UnwindSketch memory(long address, byte[] bytes) {
    memory.put(address, bytes);
    return this;
  }

  /** Puts words on the stack, the first at {@link #STACK}. */
  UnwindSketch stack(long... words) {
    LittleEndian bytes = new LittleEndian();
    Arrays.stream(words).forEach(bytes::u64);
    return memory(STACK, bytes.toByteArray());
  }

  /** The image is only in its file, as with small dumps. */
  UnwindSketch withoutCodeInMemory() {
    hasCodeInMemory = false;
    return this;
  }

  PeImage image() {
    LittleEndian head = new LittleEndian().u16(0x5A4D).zeros(0x3A).u32(0x40);
    head.u32(0x4550).u16(MachineType.AMD64).u16(0).zeros(12).u16(240).u16(0x22);
    head.u16(0x20B).zeros(22).u64(BASE).u32(0x10).u32(0x10).zeros(16);
    head.u32(SIZE).u32(0x200).zeros(44).u32(16);
    head.zeros(3 * 8).u32(TABLE).u32(12L * entries.size());
    byte[] bytes = image.clone();
    head.copyTo(bytes, 0);
    LittleEndian table = new LittleEndian();
    entries.values().forEach(row -> table.u32(row[0]).u32(row[1]).u32(row[2]));
    table.copyTo(bytes, TABLE);
    Bytes stored = Bytes.copyOf(bytes, "sketch");
    return PeImage.ofMemory(ImageView.of("sketch", List.of(new Extent(0, SIZE, stored))));
  }

  LoadedModule module() {
    return new LoadedModule("sketch.dll", BASE, SIZE, Optional.of(image()));
  }

  LoadedModules modules() {
    return LoadedModules.of(List.of(module()));
  }

  AddressSpace space() {
    TreeMap<Long, byte[]> all = new TreeMap<>(memory);
    if (hasCodeInMemory) {
      all.put(BASE, image);
    }
    return new Pieces(all);
  }

  VirtualUnwinder unwinder() {
    return new VirtualUnwinder(space(), modules());
  }

  /** Memory in pieces. */
  private static final class Pieces implements AddressSpace {
    private final NavigableMap<Long, byte[]> pieces;

    Pieces(NavigableMap<Long, byte[]> pieces) {
      this.pieces = pieces;
    }

    @Override
    public String name() {
      return "sketch";
    }

    @Override
    public Optional<MemoryRegion> regionAt(long address) {
      Map.Entry<Long, byte[]> piece = pieces.floorEntry(address);
      return piece != null
              && Long.compareUnsigned(address - piece.getKey(), piece.getValue().length) < 0
          ? Optional.of(
              new MemoryRegion(piece.getKey(), piece.getValue().length, Set.of(Access.READ), ""))
          : Optional.empty();
    }

    @Override
    public Bytes readUpTo(long address, int most) {
      Map.Entry<Long, byte[]> piece = pieces.floorEntry(address);
      if (piece == null) {
        return Bytes.copyOf(new byte[0], name());
      }
      long at = address - piece.getKey();
      int left = Math.clamp(piece.getValue().length - at, 0, most);
      return Bytes.copyOf(
          left == 0 ? new byte[0] : Arrays.copyOfRange(piece.getValue(), (int) at, (int) at + left),
          name());
    }
  }
}

package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.SpacePiece;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A small memory dump of an x64 kernel, as far as a walk needs it: drivers, the saved stack, the
 * blocks around return addresses, and the context of the fault.
 */
final class TriageDump {
  private static final int TRIAGE = 0x2000;
  private static final int DRIVER = 0x90;
  private static final int NAME = 8;

  private final byte[] dump;
  private final long stack;
  private final NavigableMap<Long, SpacePiece> pieces = new TreeMap<>(Long::compareUnsigned);

  /** A driver. */
  record Driver(String name, long base, long size) {}

  TriageDump(byte[] dump) {
    this.dump = dump;
    this.stack = u64(TRIAGE + 0x48);
    add(piece(stack, u32(TRIAGE + 0x28), u32(TRIAGE + 0x2C)));
    int at = (int) u32(TRIAGE + 0x78);
    for (long i = u32(TRIAGE + 0x7C); i > 0; i--, at += 16) {
      add(piece(u64(at), u32(at + 8), u32(at + 12)));
    }
  }

  private SpacePiece piece(long address, long offset, long size) {
    byte[] bytes = Arrays.copyOfRange(dump, (int) offset, (int) (offset + size));
    return SpacePiece.of(address, "dump", bytes);
  }

  private void add(SpacePiece piece) {
    pieces.put(piece.start(), piece);
  }

  private long u32(int at) {
    return LittleEndian.getU32(dump, at);
  }

  private long u64(int at) {
    return LittleEndian.getU64(dump, at);
  }

  /** Returns everything that was saved. */
  AddressSpace memory() {
    return new AddressSpace() {
      @Override
      public String name() {
        return "dump";
      }

      @Override
      public Optional<MemoryRegion> regionAt(long address) {
        return below(address).regionAt(address);
      }

      @Override
      public Bytes readUpTo(long address, int most) {
        return below(address).readUpTo(address, most);
      }
    };
  }

  private SpacePiece below(long address) {
    Map.Entry<Long, SpacePiece> piece = pieces.floorEntry(address);
    return piece == null ? pieces.firstEntry().getValue() : piece.getValue();
  }

  List<Driver> drivers() {
    List<Driver> drivers = new ArrayList<>();
    int at = (int) u32(TRIAGE + 0x30);
    for (long i = u32(TRIAGE + 0x34); i > 0; i--, at += DRIVER) {
      int text = (int) u32(at);
      int length = 2 * (int) u32(text);
      String path = new String(dump, text + 4, length, StandardCharsets.UTF_16LE);
      String name = path.substring(path.lastIndexOf('\\') + 1);
      drivers.add(new Driver(name, u64(at + NAME + 0x30), u32(at + NAME + 0x40)));
    }
    return drivers;
  }

  /** Returns the registers of a context that lies on the saved stack. */
  FrameRegisters context(long address) {
    int at = (int) (u32(TRIAGE + 0x28) + address - stack);
    FrameRegisters registers = FrameRegisters.x64();
    for (int i = 0; i < 16; i++) {
      registers.set(i, u64(at + 0x78 + 8 * i));
      registers.setVector(i, u64(at + 0x1A0 + 16 * i), u64(at + 0x1A8 + 16 * i));
    }
    registers.setIp(u64(at + 0xF8));
    return registers;
  }
}

package io.ntrail.live.consumer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The functions that Windows calls in the agent, run by Unicorn. */
final class ConsumerCodeTest {
  private static final long CODE = 0x10_0000;
  private static final long BLOCK = 0x20_0000;
  private static final long RING = 0x21_0000;
  private static final long STACK = 0x30_0000;
  private static final long CALLER = 0x40_0000;
  private static final long RECORD = 0x50_0000;
  private static final long ITEMS = 0x51_0000;

  /** Memory of data, behind which there is none. */
  private static final long DATA = 0x60_0000;

  private static final int PAGE = 0x1000;
  private static final int ROOM = 0x1000;
  private static final int HEAD = 88;

  /** Registers that a function has to preserve: of x64, and of x86. */
  private static final int[] PRESERVED_64 = {3, 5, 6, 7, 12, 13, 14, 15};

  private static final int[] PRESERVED_32 = {3, 5, 6, 7};

  @TempDir Path folder;

  private boolean is64;
  private ConsumerCode code = ConsumerCode.of(MachineType.AMD64);
  private final Random random = new Random(41);

  private UnicornMachine machine(int bits) throws IOException {
    is64 = bits == 64;
    code = ConsumerCode.of(is64 ? MachineType.AMD64 : MachineType.I386);
    Optional<UnicornMachine> made = UnicornMachine.in(folder, bits);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    UnicornMachine machine = made.get();
    for (long at : new long[] {CODE, BLOCK, STACK, CALLER, RECORD, ITEMS}) {
      machine.map(at, PAGE);
    }
    machine.map(RING, ROOM);
    machine.map(DATA, 8L * PAGE);
    machine.write(CODE, code.bytes());
    return machine;
  }

  private void block(UnicornMachine machine, int written, int read) throws IOException {
    LittleEndian block = new LittleEndian(128).u32(written).u32(read).u32(ROOM).u32(ROOM - 1);
    block.zeros(40 - block.size()).u64(0x900000005L).u64(CODE + 0x800).u64(RING);
    machine.write(BLOCK, block.zeros(128 - block.size()).toByteArray());
  }

  private long cell(UnicornMachine machine, int at) throws IOException {
    return LittleEndian.getU32(machine.read(BLOCK + at, 4), 0);
  }

  /** Calls a function with an argument as Windows does; returns its result. */
  private long call(UnicornMachine machine, int offset, long argument, int options)
      throws IOException {
    int slot = is64 ? 8 : 4;
    long sp = STACK + 0xF00 - slot;
    LittleEndian stack = new LittleEndian(16).pointer(slot, CALLER);
    if (is64) {
      machine.setRegister(1, argument);
    } else {
      stack.u32(argument);
    }
    machine.write(sp, stack.toByteArray());
    machine.setRegister(UnicornMachine.SP, sp);
    int[] preserved = is64 ? PRESERVED_64 : PRESERVED_32;
    for (int register : preserved) {
      machine.setRegister(register, 0x1234_5600L + register);
    }
    UnicornRun.End end =
        machine.run(
            new UnicornRun(CODE + offset, CALLER, CODE, CODE + PAGE, 1_000_000, 0, options),
            new UnicornRun.Listener() {});
    assertEquals(UnicornRun.Reason.UNTIL, end.reason());
    assertEquals(sp + slot + (is64 ? 0 : 4), machine.register(UnicornMachine.SP));
    for (int register : preserved) {
      assertEquals(0x1234_5600L + register, machine.register(register));
    }
    return machine.register(0) & 0xFFFF_FFFFL;
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * Puts an EVENT_RECORD with these lengths of items and data into memory, all of which ends where
   * memory does; returns what has to be in the ring.
   */
  private byte[] record(UnicornMachine machine, int data, int... items) throws IOException {
    LittleEndian out = new LittleEndian(4096);
    byte[] head = bytes(84);
    out.bytes(head).u16(items.length).u16(data);
    int pointer = is64 ? 8 : 4;
    LittleEndian record = new LittleEndian(112).bytes(head).u16(items.length).u16(data);
    long end = DATA + 8L * PAGE;
    record.pointer(pointer, ITEMS).pointer(pointer, data == 0 ? 0 : end - data);
    record.pointer(pointer, BLOCK);
    machine.write(RECORD, record.toByteArray());
    LittleEndian table = new LittleEndian(256);
    long at = DATA;
    for (int length : items) {
      byte[] its = bytes(length);
      int type = random.nextInt(19);
      table.u16(0xABCD).u16(type).u16(1).u16(length).u64(at);
      out.u16(0xABCD).u16(type).u16(1).u16(length).bytes(its).align(8);
      machine.write(at, its);
      at += length;
    }
    machine.write(ITEMS, table.zeros(16).toByteArray());
    byte[] its = bytes(data);
    machine.write(end - data, its);
    return out.bytes(its).toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void anyEventIsCopiedWithItsItemsAndData(int bits) throws IOException {
    try (UnicornMachine machine = machine(bits)) {
      for (int round = 0; round < 60; round++) {
        int[] items = random.ints(random.nextInt(4), 0, 300).toArray();
        byte[] event = record(machine, random.nextInt(700), items);
        // Positions go around at 2^32.
        int written = -8 * random.nextInt(20);
        block(machine, written, written);
        machine.write(RING, new byte[ROOM]);
        call(machine, code.event(), RECORD, 0);
        int size = 8 + event.length + 7 & ~7;
        int at = written & ROOM - 1;
        int skipped = ROOM - at < size ? ROOM - at : 0;
        if (skipped > 0) {
          byte[] rest = machine.read(RING + at, 8);
          assertEquals(skipped, LittleEndian.getU64(rest, 0));
          at = 0;
        }
        byte[] found = machine.read(RING + at, 8 + event.length);
        assertEquals(size, LittleEndian.getU32(found, 0));
        assertEquals(1, LittleEndian.getU32(found, 4));
        assertArrayEquals(event, Arrays.copyOfRange(found, 8, found.length), "round " + round);
        assertEquals(written + skipped + size & 0xFFFF_FFFFL, cell(machine, 0));
        assertEquals(0, cell(machine, 16));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void whatFindsNoRoomIsCountedAndNothingUnreadIsWrittenOver(int bits) throws IOException {
    try (UnicornMachine machine = machine(bits)) {
      block(machine, 0, 0);
      Deque<byte[]> waiting = new ArrayDeque<>();
      long lost = 0;
      int read = 0;
      for (int round = 0; round < 200; round++) {
        byte[] event = record(machine, random.nextInt(400), random.ints(2, 0, 60).toArray());
        long before = cell(machine, 0);
        call(machine, code.event(), RECORD, 0);
        if (cell(machine, 0) == before) {
          lost++;
          // There is room again once some are read.
          for (int take = 1 + random.nextInt(4); take > 0 && !waiting.isEmpty(); take--) {
            read = take(machine, read, waiting.remove());
          }
          machine.write(BLOCK + 4, new LittleEndian(4).u32(read).toByteArray());
        } else {
          waiting.add(event);
        }
        assertEquals(lost, cell(machine, 16));
      }
      assertTrue(lost > 10 && lost < 190, "lost " + lost);
      while (!waiting.isEmpty()) {
        read = take(machine, read, waiting.remove());
      }
      assertEquals(read, cell(machine, 0));
    }
  }

  /** Checks the next event of the ring; returns the position behind it. */
  private static int take(UnicornMachine machine, int position, byte[] event) throws IOException {
    int read = position;
    byte[] head = machine.read(RING + (read & ROOM - 1), 8);
    if (LittleEndian.getU32(head, 4) == 0) {
      read += (int) LittleEndian.getU32(head, 0);
      head = machine.read(RING + (read & ROOM - 1), 8);
    }
    long at = RING + (read & ROOM - 1);
    assertArrayEquals(event, machine.read(at + 8, event.length));
    // What is between the parts of an event stays as it was.
    int size = (int) LittleEndian.getU32(head, 0);
    machine.write(at, new byte[size]);
    return read + size;
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void anEventLargerThanTheRingIsCounted(int bits) throws IOException {
    try (UnicornMachine machine = machine(bits)) {
      block(machine, 8, 8);
      record(machine, ROOM - HEAD + 1);
      call(machine, code.event(), RECORD, 0);
      assertEquals(8, cell(machine, 0));
      assertEquals(1, cell(machine, 16));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void buffersAreWantedUntilThatIsOver(int bits) throws IOException {
    try (UnicornMachine machine = machine(bits)) {
      block(machine, 0, 0);
      LittleEndian file = new LittleEndian(512);
      file.zeros(is64 ? 416 : 396).u32(17).zeros((is64 ? 440 : 408) - file.size());
      machine.write(RECORD, file.pointer(is64 ? 8 : 4, BLOCK).toByteArray());
      assertEquals(1, call(machine, code.buffer(), RECORD, 0));
      machine.write(BLOCK + 28, new byte[] {1, 0, 0, 0});
      assertEquals(0, call(machine, code.buffer(), RECORD, 0));
      assertEquals(17, cell(machine, 20));
      assertEquals(2, cell(machine, 24));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void theThreadCallsProcessTraceWithTheOneHandle(int bits) throws IOException {
    try (UnicornMachine machine = machine(bits)) {
      block(machine, 0, 0);
      // What it calls notes its four arguments behind the block, and returns 1223.
      LittleEndian played = new LittleEndian(64);
      if (is64) {
        played.u8(0x48).u8(0xB8).u64(BLOCK + 0x100);
        played.bytes(new byte[] {0x48, (byte) 0x89, 0x08, 0x48, (byte) 0x89, 0x50, 0x08});
        played.bytes(new byte[] {0x4C, (byte) 0x89, 0x40, 0x10, 0x4C, (byte) 0x89, 0x48, 0x18});
        played.bytes(new byte[] {0x48, (byte) 0x89, 0x60, 0x20});
        played.u8(0xB8).u32(1223).u8(0xC3);
      } else {
        for (int i = 1; i <= 4; i++) {
          played.bytes(new byte[] {(byte) 0x8B, 0x44, 0x24, (byte) (4 * i), (byte) 0xA3});
          played.u32(BLOCK + 0x100 + 8L * (i - 1));
        }
        played.u8(0xB8).u32(1223).u8(0xC2).u16(16);
      }
      machine.write(CODE + 0x800, played.toByteArray());
      assertEquals(0, call(machine, code.thread(), BLOCK, 0));
      byte[] arguments = machine.read(BLOCK + 0x100, 40);
      assertEquals(BLOCK + 40, LittleEndian.getU64(arguments, 0));
      assertEquals(1, LittleEndian.getU32(arguments, 8));
      assertEquals(0, LittleEndian.getU64(arguments, 16));
      assertEquals(0, LittleEndian.getU64(arguments, 24));
      // The stack of x64 is a multiple of 16 where a call is made.
      assertEquals(is64 ? 8 : 0, LittleEndian.getU64(arguments, 32) & 15);
      assertEquals(1223, cell(machine, 32));
      assertEquals(1, cell(machine, 36));
    }
  }
}

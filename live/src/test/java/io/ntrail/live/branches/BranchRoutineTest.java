package io.ntrail.live.branches;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent's search for branches, run by Unicorn. */
final class BranchRoutineTest {
  private static final long ROUTINE = 0x10_0000;
  private static final long BLOCK = 0x20_0000;
  private static final long STACK = 0x30_0000;
  private static final long CALLER = 0x40_0000;
  private static final long LIBRARY = 0x7FFE_0050_0000L;
  private static final int MARKS = 0x1000;
  private static final int STARTS = 0x3000;
  private static final int PLACES = 0x4000;
  private static final int ROOM = 64;
  private static final int ARGUMENT = 1;
  private static final int ALL_MARKS = 0x2000;

  /** Registers that a function has to preserve. */
  private static final int[] PRESERVED = {3, 5, 6, 7, 12, 13, 14, 15};

  @TempDir Path folder;

  /** RVA of the code. */
  private int rva = 0x1000;

  private static void put32(byte[] code, int at, int value) {
    ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN).putInt(at, value);
  }

  /** Puts a branch of some opcode bytes, with a distance of 32 bits, to an rva. */
  private void branch(byte[] code, int at, int target, int... opcode) {
    for (int i = 0; i < opcode.length; i++) {
      code[at + i] = (byte) opcode[i];
    }
    put32(code, at + opcode.length, target - (rva + at + opcode.length + 4));
  }

  /** Returns whether the mark of an RVA is one of those of some function's first bytes. */
  private static boolean isMarked(int target, int[] starts) {
    int mark = target >>> 13 & ALL_MARKS - 1;
    return Arrays.stream(starts).anyMatch(start -> start >> 13 == mark || start + 31 >> 13 == mark);
  }

  /** Looks at each byte, by the definition of the instructions. */
  private Set<Integer> slowly(byte[] code, int length, int[] starts) {
    Set<Integer> found = new TreeSet<>();
    ByteBuffer bytes = ByteBuffer.wrap(code).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < length; at++) {
      int first = code[at] & 0xFF;
      int second = code[at + 1] & 0xFF;
      boolean isLong = first == 0x0F && second >= 0x80 && second < 0x90;
      boolean isBegin = first == 0xC7 && second == 0xF8;
      int near = rva + at + 4 + bytes.getShort(at + 2);
      boolean isFound = isBegin && isMarked(near, starts);
      if (isLong || isBegin || first == 0xE8 || first == 0xE9) {
        int distance = at + (isLong || isBegin ? 2 : 1);
        int target = rva + distance + 4 + bytes.getInt(distance);
        // A byte belongs to the last function that starts at or before it.
        int offset = Integer.MAX_VALUE;
        for (int start : starts) {
          offset = target >= start ? Math.min(offset, target - start) : offset;
        }
        isFound |= offset < 32 && (offset > 0 || first != 0xE8);
      }
      if (isFound) {
        found.add(rva + at);
      }
    }
    return found;
  }

  private record Answer(Set<Integer> places, long found, long failed) {}

  /** Searches pieces of code, each given by its begin and its length. */
  private Answer search(byte[] code, int[] starts, int... pieces) throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 64);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    try (UnicornMachine machine = made.get()) {
      for (long at : List.of(ROUTINE, STACK, CALLER)) {
        machine.map(at, 0x1000);
      }
      machine.map(BLOCK, 0x5000);
      machine.map(LIBRARY, code.length + 0xFFF & -0x1000);
      byte[] routine = BranchRoutine.code().bytes();
      assertTrue(routine.length <= 0x1000);
      machine.write(ROUTINE, routine);
      machine.write(LIBRARY, code);
      BytesBuilder block = new BytesBuilder(256);
      block.u64(0).u64(pieces.length / 2).u64(0).u64(ROOM).u64(0);
      block.u64(BLOCK + MARKS).u64(ALL_MARKS - 1).u64(BLOCK + STARTS).u64(starts.length);
      block.u64(BLOCK + PLACES);
      block.zeros(RoutineBlock.FIRST_PIECE - block.size());
      for (int i = 0; i < pieces.length; i += 2) {
        block.u64(LIBRARY + pieces[i]).u64(rva + pieces[i]).u64(pieces[i + 1]);
      }
      machine.write(BLOCK, block.toArray());
      byte[] marks = new byte[ALL_MARKS];
      BytesBuilder sorted = new BytesBuilder(64);
      for (int start : starts) {
        marks[start >> 13] = 1;
        marks[start + 31 >> 13] = 1;
        sorted.u32(start);
      }
      machine.write(BLOCK + MARKS, marks);
      machine.write(BLOCK + STARTS, sorted.toArray());
      machine.write(STACK + 0xF00, new BytesBuilder(8).u64(CALLER).toArray());
      machine.setRegister(UnicornMachine.SP, STACK + 0xF00);
      machine.setRegister(ARGUMENT, BLOCK);
      for (int register : PRESERVED) {
        machine.setRegister(register, 0x1234_5678_9000L + register);
      }
      UnicornRun.End end =
          machine.run(
              new UnicornRun(ROUTINE, CALLER, ROUTINE, ROUTINE + 0x1000, 10_000_000, 0, 0),
              new UnicornRun.Listener() {});
      assertEquals(UnicornRun.Reason.UNTIL, end.reason());
      assertEquals(STACK + 0xF08, machine.register(UnicornMachine.SP));
      for (int register : PRESERVED) {
        assertEquals(0x1234_5678_9000L + register, machine.register(register));
      }
      Bytes head = Bytes.copyOf(machine.read(BLOCK, 128), "block");
      long count = head.i64(RoutineBlock.FOUND);
      Bytes places = Bytes.copyOf(machine.read(BLOCK + PLACES, 4 * ROOM), "places");
      Set<Integer> found = new TreeSet<>();
      for (int i = 0; i < Math.min(count, ROOM); i++) {
        found.add(places.i32(4 * i));
      }
      return new Answer(found, count, head.i64(RoutineBlock.FAILED));
    }
  }

  @Test
  void eachKindOfBranchToTheFirstBytesIsFoundAndNoOther() throws IOException {
    byte[] code = new byte[0x400];
    int start = 0x8000;
    branch(code, 0, start, 0xE9);
    branch(code, 0x10, start, 0xE8);
    branch(code, 0x20, start + 1, 0xE8);
    branch(code, 0x30, start + 31, 0x0F, 0x84);
    branch(code, 0x40, start + 32, 0xE9);
    branch(code, 0x50, start - 1, 0xE9);
    branch(code, 0x60, start + 3, 0x0F, 0x8F);
    branch(code, 0x70, start + 3, 0x0F, 0x90);
    branch(code, 0x7F, start + 3, 0xE9);
    branch(code, 0xBD, start + 3, 0xE9);
    branch(code, 0xD0, start + 3, 0xEB);
    branch(code, 0x100, start + 5, 0xC7, 0xF8);
    branch(code, 0x110, start - 0x2000, 0xC7, 0xF8);
    code[0x120] = (byte) 0xC7;
    code[0x121] = (byte) 0xF8;
    put32(code, 0x122, start + 3 - (rva + 0x124) & 0xFFFF);
    Answer answer = search(code, new int[] {start}, 0, 0x140);
    assertEquals(
        Set.of(
            rva,
            rva + 0x20,
            rva + 0x30,
            rva + 0x60,
            rva + 0x7F,
            rva + 0xBD,
            rva + 0x100,
            rva + 0x120),
        answer.places);
    assertEquals(0, answer.failed);
  }

  @Test
  void inRandomBytesAndPiecesTheSameIsFoundAsByLookingAtEach() throws IOException {
    Random random = new Random(5);
    int[] starts = {0x1010, 0x1FF0, 0x2004, 0x2024, 0x2030, 0x9000, 0x2_0FF8, 0x3_8000};
    for (int round = 0; round < 20; round++) {
      byte[] code = new byte[0x1000];
      random.nextBytes(code);
      for (int i = 0; i < 60; i++) {
        int target = starts[random.nextInt(starts.length)] + random.nextInt(60) - 20;
        int at = random.nextInt(code.length - 16);
        switch (random.nextInt(4)) {
          case 0 -> branch(code, at, target, 0xE8);
          case 1 -> branch(code, at, target, 0xE9);
          case 2 -> branch(code, at, target, 0x0F, 0x80 + random.nextInt(16));
          default -> branch(code, at, target, 0xC7, 0xF8);
        }
      }
      int length = code.length - 64;
      Answer answer = search(code, starts, 0x400, length - 0x400, 0, 0x40, 0x40, 0x3C0);
      assertEquals(slowly(code, length, starts), answer.places);
    }
  }

  @Test
  void inDistantPiecesTheSameIsFound() throws IOException {
    Random random = new Random(7);
    // Before and behind the functions, less and more than 64 KiB of distances around a multiple.
    int[][] cases = {
      {0x1000, 0x40_0000, 0},
      {0x1000, 0x3_1000, 0x1_0000},
      {0x300_0000, 0x5000, 0},
      {0x12_3000, 0x2_0000, 0x1_F000},
      {0x1000, 0x10_2FF0, 0x800}
    };
    for (int[] one : cases) {
      rva = one[0];
      int[] starts = {one[1], one[1] + 32, one[1] + 0x50 + one[2]};
      int places = 0;
      for (int round = 0; round < 3; round++) {
        byte[] code = new byte[0x3000];
        random.nextBytes(code);
        for (int i = 0; i < 60; i++) {
          int target = starts[random.nextInt(starts.length)] + random.nextInt(60) - 20;
          int at = i == 0 ? 0x40 : i == 1 ? 0x27FE : random.nextInt(code.length - 16);
          switch (random.nextInt(4)) {
            case 0 -> branch(code, at, target, 0xE8);
            case 1 -> branch(code, at, target, 0xE9);
            case 2 -> branch(code, at, target, 0x0F, 0x80 + random.nextInt(16));
            default -> branch(code, at, target, 0xC7, 0xF8);
          }
        }
        int length = 0x2800;
        int distant = RoutineBlock.DISTANT;
        Answer answer =
            search(code, starts, 0, 0x40, 0x40, 0x11C0 | distant, 0x1200, 0x1600 | distant);
        assertEquals(slowly(code, length, starts), answer.places);
        assertEquals(answer.places.size(), answer.found);
        places += answer.places.size();
      }
      assertTrue(places > 50, "found " + places);
    }
  }

  @Test
  void morePlacesThanThereIsRoomForAreCounted() throws IOException {
    byte[] code = new byte[0x400];
    for (int at = 0; at < 0x300; at += 6) {
      branch(code, at, 0x8000, 0xE9);
    }
    Answer answer = search(code, new int[] {0x8000}, 0, 0x300);
    assertEquals(128, answer.found);
  }
}

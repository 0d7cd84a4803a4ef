package io.ntrail.live.code.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.GuardCode;
import io.ntrail.live.code.GuardCode.Range;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guard of Wine's search for the module of an address, run by Unicorn. */
class LookupGuardTest {
  private static final long TABLE = 0x7FFE_0010_0000L;
  private static final long CODE = 0x20_0000;
  private static final long STACK = 0x30_0000;
  private static final long CALLER = 0x40_0000;
  private static final int RESULT = 0;
  private static final int ARGUMENT = 1;
  private static final long NOT_FOUND = 0x8000_001AL;

  private static final Range FIRST = new Range(0x6FFF_FD34_0000L, 0x1_0000);
  private static final Range SECOND = new Range(0x7FFF_1234_5600L, 0x345_0000);

  private final GuardCode guard = new LookupGuard();

  @TempDir Path folder;

  private UnicornMachine machine() throws IOException {
    Optional<UnicornMachine> machine = UnicornMachine.in(folder, 64);
    assumeTrue(machine.isPresent(), UnicornMachine.MISSING);
    machine.get().map(TABLE, guard.tableBytes());
    machine.get().map(CODE, 0x1000);
    machine.get().map(STACK, 0x1000);
    machine.get().map(CALLER, 0x1000);
    machine.get().write(CODE, guard.code(TABLE));
    return machine.get();
  }

  /** Returns true if the guard answers that an address belongs to no module. */
  private boolean isOurs(UnicornMachine machine, long address) throws IOException {
    long end = CODE + guard.codeSize();
    machine.write(STACK + 0x800, new byte[] {0, 0, 0x40, 0, 0, 0, 0, 0});
    machine.setRegister(UnicornMachine.SP, STACK + 0x800);
    machine.setRegister(RESULT, 0);
    machine.setRegister(ARGUMENT, address);
    UnicornRun.End found =
        machine.run(
            new UnicornRun(CODE, end, CODE, CODE + 0x1000, 1000, 0, 0),
            new UnicornRun.Listener() {});
    if (found.reason() == UnicornRun.Reason.UNTIL) {
      return false;
    }
    assertEquals(CALLER, found.ip(), "returns to its caller");
    assertEquals(NOT_FOUND, machine.register(RESULT));
    return true;
  }

  private void assertOnly(UnicornMachine machine, Range range, boolean isThere) throws IOException {
    long end = range.begin() + range.size();
    assertEquals(isThere, isOurs(machine, range.begin()));
    assertEquals(isThere, isOurs(machine, end - 1));
    assertEquals(false, isOurs(machine, range.begin() - 1));
    assertEquals(false, isOurs(machine, end));
  }

  @Test
  void addressesOfTracingBelongToNoModule() throws IOException {
    try (UnicornMachine machine = machine()) {
      assertOnly(machine, FIRST, false);
      machine.write(TABLE, guard.table(List.of(FIRST, SECOND)));
      assertOnly(machine, FIRST, true);
      assertOnly(machine, SECOND, true);
      assertEquals(false, isOurs(machine, CODE));
      assertEquals(false, isOurs(machine, 0));
    }
  }

  @Test
  void rangeThatIsBeingAddedIsThereWholeOrNotAtAll() throws IOException {
    try (UnicornMachine machine = machine()) {
      machine.write(TABLE, guard.table(List.of(FIRST)));
      List<GuardCode.Piece> pieces = guard.added(1, SECOND);
      int left = pieces.stream().mapToInt(piece -> piece.bytes().length).sum();
      for (GuardCode.Piece piece : pieces) {
        for (int i = 0; i < piece.bytes().length; i++) {
          machine.write(TABLE + piece.at() + i, new byte[] {piece.bytes()[i]});
          left--;
          assertOnly(machine, FIRST, true);
          assertOnly(machine, SECOND, left == 0);
        }
      }
      assertEquals(
          List.of(FIRST, SECOND),
          guard.ranges(Bytes.copyOf(machine.read(TABLE, guard.tableBytes()), "table")));
    }
  }

  @Test
  void lastWriteOfAnAddedRangeIsOneByte() {
    assertEquals(1, guard.added(3, SECOND).getLast().bytes().length);
  }

  @Test
  void rangeThatDoesNotBeginAtAMultipleOf256IsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> guard.added(0, new Range(0x7FFF_1234_5610L, 16)));
  }

  @Test
  void guardOfAnotherSessionIsFoundAgain() {
    assertEquals(TABLE, guard.tableOf(guard.code(TABLE)));
  }
}

package io.ntrail.live.code;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Size and content of the records of a session: without arguments, with those in registers, with
 * those on the stack as well, or also with memory that they point to.
 *
 * @param bytes of a record: 32, 64, 128, 256, 512 or 1,024
 * @param copies memory that entries have in addition; only in records of more than 128 bytes
 */
public record RecordLayout(int bytes, ArgumentCopies copies) {
  private static final int PLAIN = SessionLayout.RECORD_ARGUMENTS;
  private static final int WITH_REGISTERS = SessionLayout.RECORD_STACK_ARGUMENTS;
  private static final int WITH_STACK = SessionLayout.RECORD_COPIES;
  private static final int IN_REGISTERS = 4;
  private static final int STACK_PLACE = 16;
  private static final int ECX_PLACE = 5;
  private static final int EDX_PLACE = 6;

  /** Checks the size. */
  public RecordLayout {
    boolean isSize =
        Integer.bitCount(bytes) == 1 && bytes >= PLAIN && bytes <= SessionLayout.MOST_RECORD_BYTES;
    if (!isSize || copies.exist() && WITH_STACK + copies.bytes() > bytes) {
      throw new IllegalArgumentException(
          "records of %d bytes with copies of %d".formatted(bytes, copies.bytes()));
    }
  }

  /**
   * Returns the layout of records with as many arguments as they have room for.
   *
   * @param bytes 32, 64 or 128
   */
  public static RecordLayout of(int bytes) {
    if (bytes > WITH_STACK) {
      throw new IllegalArgumentException("records of " + bytes + " bytes");
    }
    return new RecordLayout(bytes, ArgumentCopies.NONE);
  }

  /**
   * Returns the smallest layout of records with these arguments and copies.
   *
   * @param arguments how many: 0 to 12
   */
  public static RecordLayout of(int arguments, ArgumentCopies copies) {
    if (copies.exist()) {
      int least = WITH_STACK + copies.bytes();
      return new RecordLayout(Integer.highestOneBit(2 * least - 1), copies);
    }
    return of(arguments == 0 ? PLAIN : arguments <= IN_REGISTERS ? WITH_REGISTERS : WITH_STACK);
  }

  /**
   * Returns the sources of the values of entries, in the numbers of docs/ntr.md section 4. With
   * pointers of 8 bytes: rcx, rdx, r8, r9, then the eight stack slots above the caller's home
   * space. With pointers of 4 bytes: ecx, edx, then the stack slots above the return address; which
   * of them are arguments, and their order, depends on the function's convention.
   */
  public List<Integer> argumentPlaces(int pointerBytes) {
    if (pointerBytes == Integer.BYTES) {
      int slots = (Math.min(bytes, WITH_STACK) - PLAIN) / Long.BYTES - 2;
      return slots < 0
          ? List.of()
          : Stream.concat(
                  Stream.of(ECX_PLACE, EDX_PLACE),
                  IntStream.range(STACK_PLACE + 1, STACK_PLACE + 1 + slots).boxed())
              .toList();
    }
    Stream<Integer> registers = bytes >= WITH_REGISTERS ? Stream.of(1, 2, 3, 4) : Stream.of();
    // The key is one pointer above the return address, and the home space takes four.
    IntStream slots =
        bytes >= WITH_STACK
            ? IntStream.range(STACK_PLACE + 5, STACK_PLACE + 13)
            : IntStream.empty();
    return Stream.concat(registers, slots.boxed()).toList();
  }

  /**
   * Returns the sources of the first values of entries. With pointers of 4 bytes there are ecx and
   * edx before the words of the stack, whatever convention a function has.
   *
   * @param arguments how many are wanted
   */
  public List<Integer> argumentPlaces(int pointerBytes, int arguments) {
    int most = pointerBytes == Integer.BYTES && arguments > 0 ? arguments + 2 : arguments;
    return argumentPlaces(pointerBytes).stream().limit(most).toList();
  }
}

package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * SEH registration of an x86 function with {@code __try}, and its scope table, found by the bytes
 * of its prologue: it pushes -1 ({@code _except_handler3}) or -2 ({@code _except_handler4}), the
 * address of the table and that of the handler, and links itself to {@code fs:[0]}.
 *
 * <p>The length of the table is stored nowhere. It is read as long as its entries are plausible:
 * each is inside a previous one or inside none, and leads to code of the function.
 *
 * @param function RVA of the function
 * @param version 3 or 4
 * @param handler RVA of the handler that it registers
 * @param table RVA of its scope table
 * @param cookies places of the cookies of version 4
 * @param levels the entries of the table
 */
public record SehFrame(
    long function,
    int version,
    long handler,
    long table,
    Optional<Cookies> cookies,
    List<Level> levels) {
  /** Bytes of code in which the registration starts. */
  private static final int NEAR = 16;

  private static final int MOST = 1 << 10;

  /**
   * Places of a version 4 function's cookies; -2 as an offset: it has none.
   *
   * @param gsOffset offset of the stack cookie in the frame
   * @param gsXor offset of the value it is combined with
   * @param ehOffset offset of the cookie for exceptions
   * @param ehXor offset of the value it is combined with
   */
  public record Cookies(int gsOffset, int gsXor, int ehOffset, int ehXor) {}

  /**
   * A {@code __try} block; its number is its level.
   *
   * @param enclosing the level around it; -1 (version 3) or -2: none
   * @param filter RVA of the filter; 0: it is a {@code __finally}
   * @param handler RVA of the block that is run
   */
  public record Level(int enclosing, long filter, long handler) {
    /** Returns true for a {@code __finally}, false for an {@code __except}. */
    public boolean isFinally() {
      return filter == 0;
    }
  }

  /**
   * Returns the registration of a function, if it has one of the usual kind.
   *
   * @param end the RVA past the function: without it a table would run on into the next one
   */
  public static Optional<SehFrame> of(PeImage image, long function, long end) {
    if (image.headers().machine() != MachineType.I386) {
      return Optional.empty();
    }
    ImageView view = image.view();
    for (long at = function; at < Math.min(function + NEAR, end); at++) {
      // push -1 or -2; push table; push handler; then fs:[0] is read in one of two ways
      if (view.has(at, 18)
          && view.u8(at) == 0x6A
          && view.u8(at + 1) >= 0xFE
          && view.u8(at + 2) == 0x68
          && view.u8(at + 7) == 0x68
          && linksItself(view, at + 12)) {
        return Optional.of(
            frame(
                image,
                new Extent(function, end),
                view.u8(at + 1) == 0xFE ? 4 : 3,
                image.rva(view.u32(at + 3)),
                image.rva(view.u32(at + 8))));
      }
    }
    return Optional.empty();
  }

  private record Extent(long begin, long end) {
    boolean contains(long address) {
      return address >= begin && address < end;
    }
  }

  /** {@code mov eax, fs:[0]}. */
  private static boolean linksItself(ImageView view, long at) {
    return view.u8(at) == 0x64 && view.u8(at + 1) == 0xA1 && view.i32(at + 2) == 0;
  }

  private static SehFrame frame(
      PeImage image, Extent function, int version, long table, long handler) {
    ImageView view = image.view();
    List<Level> levels = new ArrayList<>();
    Optional<Cookies> cookies = Optional.empty();
    try {
      long at = table;
      if (version == 4) {
        cookies =
            Optional.of(
                new Cookies(view.i32(at), view.i32(at + 4), view.i32(at + 8), view.i32(at + 12)));
        at += 16;
      }
      while (levels.size() < MOST) {
        int enclosing = view.i32(at);
        long filter = image.rva(view.u32(at + 4));
        long block = image.rva(view.u32(at + 8));
        boolean inside =
            enclosing == (version == 4 ? -2 : -1) || enclosing >= 0 && enclosing < levels.size();
        if (!inside || !function.contains(block) || filter != 0 && !function.contains(filter)) {
          break;
        }
        levels.add(new Level(enclosing, filter, block));
        at += 12;
      }
    } catch (DamagedInput e) {
      // The table ends with the image: what was read before is all there is.
    }
    return new SehFrame(function.begin, version, handler, table, cookies, List.copyOf(levels));
  }

  /**
   * Reads the data of a C++ handler for x86: each function has a handler of its own that puts the
   * address of its {@link FuncInfo3} into eax and jumps to the common one.
   *
   * @param handler RVA of the handler of a function
   */
  public static Optional<FuncInfo3> cxx(PeImage image, long handler) {
    ImageView view = image.view();
    if (image.headers().machine() != MachineType.I386) {
      return Optional.empty();
    }
    // A check of the stack cookie can be before it.
    for (long at = handler; at < handler + 0x40 && view.has(at, 6); at++) {
      if (view.u8(at) == 0xB8 && view.u8(at + 5) == 0xE9) {
        long info = image.rva(view.u32(at + 1));
        if (FuncInfo3.isAt(image, info)) {
          return Optional.of(FuncInfo3.read(image, info));
        }
      }
    }
    return Optional.empty();
  }
}

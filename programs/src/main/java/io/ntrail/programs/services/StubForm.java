package io.ntrail.programs.services;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The forms that stubs of system services have had, as rows of a table. */
final class StubForm {
  /**
   * Data of a stub.
   *
   * @param arguments empty where the form does not have it
   */
  record Stub(int number, OptionalInt arguments) {}

  /** In a pattern: any byte. */
  private static final int ANY = -1;

  /** In a pattern: the next of the four bytes of the number. */
  private static final int NUMBER = -2;

  /** In a pattern: C3, or C2 with two bytes for the number of bytes of the arguments. */
  private static final int RETURN = -3;

  /**
   * The forms in the order in which they are tried. {@code ..} is any byte, {@code nn} one of the
   * number, {@code ret} a return with or without arguments.
   */
  private static final List<StubForm> FORMS =
      List.of(
          // Windows 10 and later, and Wine
          row(MachineType.AMD64, "4C 8B D1 B8 nn nn nn nn F6 04 25 08 03 FE 7F 01 75 03 0F 05 C3"),
          // Windows before 10
          row(MachineType.AMD64, "4C 8B D1 B8 nn nn nn nn 0F 05 C3"),
          // a Zw routine of a kernel, which enters the service from kernel mode
          row(
              MachineType.AMD64,
              "48 8B C4 FA 48 83 EC 10 50 9C 6A 10 48 8D 05 .. .. .. .. 50 B8 nn nn nn nn E9"),
          // Windows XP SP2 to 7, XP before that, 2000, 8 and later
          row(MachineType.I386, "B8 nn nn nn nn BA 00 03 FE 7F FF 12 ret"),
          row(MachineType.I386, "B8 nn nn nn nn BA 00 03 FE 7F FF D2 ret"),
          row(MachineType.I386, "B8 nn nn nn nn 8D 54 24 04 CD 2E ret"),
          row(MachineType.I386, "B8 nn nn nn nn E8 .. 00 00 00 ret 8B D4 0F 34 C3"),
          // WOW64 of Vista and 7, without and with a turbo thunk, and of XP
          row(
              MachineType.I386,
              "B8 nn nn nn nn 33 C9 8D 54 24 04 64 FF 15 C0 00 00 00 83 C4 04 ret"),
          row(
              MachineType.I386,
              "B8 nn nn nn nn B9 .. .. .. .. 8D 54 24 04 64 FF 15 C0 00 00 00 83 C4 04 ret"),
          row(MachineType.I386, "B8 nn nn nn nn 33 C9 8D 54 24 04 64 FF 15 C0 00 00 00 ret"),
          row(
              MachineType.I386,
              "B8 nn nn nn nn B9 .. .. .. .. 8D 54 24 04 64 FF 15 C0 00 00 00 ret"),
          // WOW64 of Windows 8, and Wine
          row(MachineType.I386, "B8 nn nn nn nn 64 FF 15 C0 00 00 00 ret"),
          // WOW64 of Windows 10 and later, and Wine: what any function could begin with
          named(MachineType.I386, "B8 nn nn nn nn BA .. .. .. .. FF D2 ret"));

  private static final int RET = 0xC3;
  private static final int RET_BYTES = 0xC2;

  /** {@code svc #n} without its number, and {@code ret}. */
  private static final int SVC = 0xD400_0001;

  private static final int SVC_MASK = 0xFFE0_001F;
  private static final int ARM64_RET = 0xD65F_03C0;

  /** Places of a table and the two tables: bits 0 to 12. */
  private static final int NUMBERS = 0x2000;

  /** More arguments than any service takes. */
  private static final int MOST_ARGUMENTS = 32;

  private final int machine;
  private final int[] pattern;

  /** True if it needs the name of a service to be credible. */
  private final boolean byName;

  private StubForm(int machine, String pattern, boolean byName) {
    this.machine = machine;
    this.pattern = Stream.of(pattern.split(" ", -1)).mapToInt(StubForm::token).toArray();
    this.byName = byName;
  }

  private static StubForm row(int machine, String pattern) {
    return new StubForm(machine, pattern, false);
  }

  private static StubForm named(int machine, String pattern) {
    return new StubForm(machine, pattern, true);
  }

  private static int token(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case ".." -> ANY;
      case "nn" -> NUMBER;
      case "ret" -> RETURN;
      default -> Integer.parseInt(text, 16);
    };
  }

  /**
   * The stub at an address, if it has a form of the image's machine.
   *
   * @param service whether its name is that of a service
   */
  static Optional<Stub> read(PeImage image, long rva, boolean service) {
    ImageView view = image.view();
    int machine = image.headers().machine();
    if (machine == MachineType.ARM64) {
      return arm64(view, rva);
    }
    for (StubForm form : FORMS) {
      Stub stub =
          form.machine == machine && (service || !form.byName) ? form.match(view, rva) : null;
      if (stub != null) {
        return Optional.of(stub);
      }
    }
    return Optional.empty();
  }

  private static Optional<Stub> arm64(ImageView view, long rva) {
    if (!view.has(rva, 8) || (view.i32(rva) & SVC_MASK) != SVC || view.i32(rva + 4) != ARM64_RET) {
      return Optional.empty();
    }
    int number = view.i32(rva) >>> 5 & 0xFFFF;
    return number < NUMBERS ? Optional.of(new Stub(number, OptionalInt.empty())) : Optional.empty();
  }

  private @Nullable Stub match(ImageView view, long rva) {
    // A return with arguments is two bytes longer than its place in the pattern.
    if (!view.has(rva, pattern.length)) {
      return null;
    }
    OptionalInt arguments = OptionalInt.empty();
    long at = rva;
    int number = 0;
    int shift = 0;
    for (int token : pattern) {
      if (!view.has(at, 1)) {
        return null;
      }
      int there = view.u8(at);
      if (token == NUMBER) {
        number |= there << shift;
        shift += 8;
      } else if (token == RETURN) {
        arguments = arguments(view, at);
        if (arguments.isEmpty()) {
          return null;
        }
        at += there == RET ? 0 : 2;
      } else if (token != ANY && token != there) {
        return null;
      }
      at++;
    }
    // On x86 the upper half of eax is 0, or chooses a turbo thunk of WOW64.
    int place = machine == MachineType.I386 ? number & 0xFFFF : number;
    return place >= 0 && place < NUMBERS ? new Stub(place, arguments) : null;
  }

  private static OptionalInt arguments(ImageView view, long at) {
    if (view.u8(at) == RET) {
      return OptionalInt.of(0);
    }
    if (view.u8(at) != RET_BYTES || !view.has(at, 3)) {
      return OptionalInt.empty();
    }
    int bytes = view.u16(at + 1);
    return bytes % 4 == 0 && bytes / 4 <= MOST_ARGUMENTS
        ? OptionalInt.of(bytes / 4)
        : OptionalInt.empty();
  }
}

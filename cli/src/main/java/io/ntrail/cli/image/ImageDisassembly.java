package io.ntrail.cli.image;

import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.ImageWords;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code image --disasm ADDRESS|NAME|all}: the code of functions, instruction by instruction. */
final class ImageDisassembly {
  private final PeImage image;
  private final @Nullable RewrittenCode code;
  private final ImageFunctions functions;
  private final List<ImageFunction> asked;
  private final Map<Long, String> places = new HashMap<>();
  private final InstructionRows rows;

  private ImageDisassembly(
      ParsedImage contents, ImageNames names, @Nullable RewrittenCode code, String what) {
    this.image = contents.image();
    this.code = code;
    this.functions = names.functions();
    this.asked =
        what.equals("all")
            ? functions.list()
            : FunctionArgument.find(contents, functions, "--disasm", what);
    for (ImageFunction function : functions.list()) {
      if (!function.names().isEmpty()) {
        places.put(function.rva(), function.names().getFirst());
      }
    }
    for (Imports.Module module : contents.imports().modules()) {
      for (Imports.Symbol symbol : module.symbols()) {
        String name = symbol.name();
        places.put(
            symbol.slot(), module.name() + "!" + (name != null ? name : "#" + symbol.ordinal()));
      }
    }
    if (code != null) {
      code.name(places);
    }
    this.rows =
        new InstructionRows(
            InstructionDecoder.of(size(image)),
            rva -> {
              String place = places.get(rva);
              return place == null ? names.begins(rva) : place;
            },
            names.hasPdb() ? names::line : null);
  }

  /**
   * Returns the code of functions.
   *
   * @param code that is shown in place of that of the file; null: there is none
   */
  static ImagePart of(
      ParsedImage contents, ImageNames names, @Nullable RewrittenCode code, String what) {
    ImageDisassembly part = new ImageDisassembly(contents, names, code, what);
    Listing<InstructionRows.Row> listing =
        new Listing<>("instructions", part.rows.columns(), part::all);
    if (code == null) {
      return new ImagePart(listing, part::print, listing::json);
    }
    return new ImagePart(
        listing,
        (out, limit, width) -> {
          part.print(out, limit, width);
          code.print(out, width);
        },
        json -> {
          listing.json(json);
          code.json(json);
        });
  }

  private static CodeSize size(PeImage image) {
    return switch (image.headers().machine()) {
      case MachineType.AMD64 -> CodeSize.BITS64;
      case MachineType.I386 -> CodeSize.BITS32;
      default ->
          throw new CannotGoOn(
              image.name()
                  + " is code for "
                  + MachineType.text(image.headers().machine())
                  + ", which the disassembler does not support",
              "ntrail image " + ImageWords.of(image));
    };
  }

  private void all(Consumer<InstructionRows.Row> sink) {
    for (ImageFunction function : asked) {
      range(function.rva(), function.size(), sink);
      for (RuntimeFunction part : functions.parts(function.rva())) {
        range(part.begin(), part.size(), sink);
      }
    }
  }

  private void range(long rva, long size, Consumer<InstructionRows.Row> sink) {
    long stored = Math.min(size, image.view().stored(rva));
    if (stored > 0) {
      rows.rows(
          code == null ? image.view().window(rva, stored) : code.window(rva, stored), rva, sink);
    }
  }

  private void print(PrintStream out, long limit, int width) {
    long shown = 0;
    for (ImageFunction function : asked) {
      if (limit != 0 && shown >= limit) {
        out.println("... " + Numbers.counted(asked.size(), "function") + " (-n 0 shows all)");
        return;
      }
      if (shown > 0) {
        out.println();
      }
      out.println(
          (function.names().isEmpty() ? "" : String.join(", ", function.names()) + "  ")
              + Numbers.hex(function.rva())
              + ".."
              + Numbers.hex(function.end())
              + " ("
              + Numbers.counted(function.size(), "byte")
              + (function.bounded() ? "" : ", up to the next function")
              + ")");
      String doubt = ImageFunctionRows.doubt(functions, function);
      if (doubt != null) {
        out.println("  " + doubt);
      }
      shown += table(function.rva(), function.size(), out, limit == 0 ? 0 : limit - shown, width);
      int omitted = 0;
      for (RuntimeFunction part : functions.parts(function.rva())) {
        if (limit != 0 && shown >= limit) {
          omitted++;
          continue;
        }
        out.println(
            "  further part "
                + Numbers.hex(part.begin())
                + ".."
                + Numbers.hex(part.end())
                + " ("
                + Numbers.counted(part.size(), "byte")
                + ")");
        shown += table(part.begin(), part.size(), out, limit == 0 ? 0 : limit - shown, width);
      }
      if (omitted > 0) {
        out.println("  ... " + Numbers.counted(omitted, "further part") + " (-n 0 shows all)");
      }
    }
  }

  private long table(long rva, long size, PrintStream out, long limit, int width) {
    return new Listing<InstructionRows.Row>(
            "instructions", rows.columns(), sink -> range(rva, size, sink))
        .table(out, limit, width);
  }
}

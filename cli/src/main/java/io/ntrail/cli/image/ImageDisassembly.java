package io.ntrail.cli.image;

import io.ntrail.analysis.parallel.OrderedTasks;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.ImageWords;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ArmCode;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.image.UnclaimedCode;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code image --disasm ADDRESS|NAME|all}: the code of functions, instruction by instruction. */
final class ImageDisassembly {
  /** Functions that a thread prints at a time. */
  private static final int PART = 64;

  /** Bytes of code of a part whose text is kept until its turn comes. */
  private static final long LARGEST_PART = 1 << 20;

  /** Bytes of text that a function usually has. */
  private static final int TYPICAL = 4_000;

  /** Bytes of JSON Lines that a function usually has. */
  private static final int TYPICAL_JSON = 20_000;

  private final PeImage image;
  private final ArmCode arm;
  private final @Nullable RewrittenCode code;
  private final ImageFunctions functions;
  private final List<ImageFunction> asked;
  private final Map<Long, String> places = new HashMap<>();
  private final ImageNames names;

  private ImageDisassembly(
      ParsedImage contents, ImageNames names, @Nullable RewrittenCode code, String what) {
    this.image = contents.image();
    this.arm = contents.arm();
    this.code = code;
    this.names = names;
    this.functions = names.functions();
    this.asked =
        what.equals("all")
            ? functions.list()
            : FunctionArgument.find(
                contents,
                functions,
                "--disasm",
                what,
                ImageCommand.gaps(image.gaps(), names.gaps()));
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
    size(image);
    checkHeld();
  }

  /** Reports code that is not in the image, of all functions that are asked for together. */
  private void checkHeld() {
    long lacking = 0;
    long first = -1;
    int lost = 0;
    for (ImageFunction function : asked) {
      long its = lacking(function);
      for (RuntimeFunction part : functions.parts(function.rva())) {
        its += lacking(part);
      }
      if (its > 0) {
        lacking += its;
        first = lost == 0 ? function.rva() : first;
        lost++;
      }
    }
    if (lost > 0) {
      String bytes = "the image does not hold " + Numbers.counted(lacking, "byte") + " of ";
      image.gap(
          first,
          -1,
          "code",
          bytes
              + (asked.size() == 1
                  ? "the function at " + Numbers.hex(first)
                  : Numbers.count(lost) + " of " + Numbers.counted(asked.size(), "function")));
    }
  }

  /** Returns the bytes of the first part of a function that are not in the image. */
  private long lacking(ImageFunction function) {
    long held = held(function.rva(), function.size());
    // One whose end is not known may reach as far as padding that is in no file.
    return function.bounded() || held == 0 ? function.size() - held : 0;
  }

  private long lacking(RuntimeFunction part) {
    return part.size() - held(part.begin(), part.size());
  }

  /** Returns the bytes from a place on that were stored, one piece or several. */
  private long held(long rva, long size) {
    long held = 0;
    while (held < size) {
      long stored = image.view().stored(rva + held);
      if (stored <= 0) {
        return held;
      }
      held += stored;
    }
    return Math.max(0, size);
  }

  /** Returns rows for one thread. */
  private InstructionRows rows() {
    return new InstructionRows(
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
    InstructionRows rows = part.rows();
    Listing<InstructionRows.Row> listing =
        new Listing<>("instructions", rows.columns(), sink -> part.all(rows, part.asked, sink));
    Consumer<Json> objects =
        json ->
            new InstructionObjects(rows, json.newRow())
                .array(json, listing.key(), sink -> part.all(rows, part.asked, sink));
    CodeLeftOut omitted = part.omitted(what.equals("all"));
    return new ImagePart(
        listing,
        (out, limit, width) -> {
          part.print(out, limit, width);
          if (code != null) {
            code.print(out, width);
          }
        },
        json -> {
          objects.accept(json);
          omitted.json(json);
          if (code != null) {
            code.json(json);
          }
        },
        part::lines,
        omitted.remarks());
  }

  private CodeLeftOut omitted(boolean isAll) {
    if (isAll) {
      return new CodeLeftOut(arm.bytes(), UnclaimedCode.bytes(image, functions, arm));
    }
    long bytes = 0;
    for (ImageFunction function : asked) {
      bytes += arm.bytes(function.rva(), function.end());
      for (RuntimeFunction part : functions.parts(function.rva())) {
        bytes += arm.bytes(part.begin(), part.end());
      }
    }
    return new CodeLeftOut(bytes, -1);
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

  private void all(
      InstructionRows rows, List<ImageFunction> some, Consumer<InstructionRows.Row> sink) {
    for (ImageFunction function : some) {
      range(rows, function.rva(), function.size(), sink);
      for (RuntimeFunction part : functions.parts(function.rva())) {
        range(rows, part.begin(), part.size(), sink);
      }
    }
  }

  private void range(
      InstructionRows rows, long rva, long size, Consumer<InstructionRows.Row> sink) {
    long held = held(rva, size);
    if (held > 0) {
      for (CodeRanges.Range piece : arm.others(rva, rva + held)) {
        long length = piece.end() - piece.begin();
        rows.rows(
            code == null
                ? image.view().bytes(piece.begin(), Math.clamp(length, 0, Integer.MAX_VALUE - 15))
                : code.window(piece.begin(), length),
            piece.begin(),
            sink);
      }
    }
  }

  private void print(PrintStream out, long limit, int width) {
    if (asked.isEmpty()) {
      out.println("no functions known");
    }
    // Rows are limited from the first function on.
    int together = limit != 0 ? Math.max(1, asked.size()) : PART;
    write(out, together, TYPICAL, () -> new Printing(limit, width));
  }

  private void lines(PrintStream out) {
    write(out, PART, TYPICAL_JSON, Lines::new);
  }

  /** Writes some of the functions, for one thread. */
  @FunctionalInterface
  private interface Writing {
    void write(PrintStream out, List<ImageFunction> some, boolean isFirst);
  }

  /**
   * Writes all functions, on all processors where there is more than one part of them.
   *
   * @param together functions of a part
   * @param typical bytes that one usually takes
   */
  private void write(PrintStream out, int together, int typical, Supplier<Writing> writings) {
    int processors = Runtime.getRuntime().availableProcessors();
    // What is read of a PDB and of code that is rewritten belongs to one thread.
    boolean isOne = names.hasPdb() || code != null || processors == 1;
    if (isOne || largest(together) > LARGEST_PART) {
      writings.get().write(out, asked, true);
      return;
    }
    int threads = processors;
    Queue<ByteArrayOutputStream> written = new ConcurrentLinkedQueue<>();
    try {
      OrderedTasks.run(
          threads,
          Math.ceilDiv(asked.size(), together),
          2 * (threads + 1),
          () -> new Part(out, together, typical, written, writings.get()),
          text -> {
            text.writeTo(out);
            // One that grew for a large function is not kept.
            if (text.size() <= 4 * together * typical) {
              text.reset();
              written.add(text);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the bytes of code of the largest part. */
  private long largest(int together) {
    long largest = 0;
    long part = 0;
    for (int i = 0; i < asked.size(); i++) {
      part = i % together == 0 ? 0 : part;
      ImageFunction function = asked.get(i);
      part += function.size();
      for (RuntimeFunction more : functions.parts(function.rva())) {
        part += more.size();
      }
      largest = Math.max(largest, part);
    }
    return largest;
  }

  /** Keeps what is written of a part of the functions. */
  private final class Part implements OrderedTasks.Worker<ByteArrayOutputStream> {
    private final PrintStream like;
    private final int together;
    private final int typical;
    private final Queue<ByteArrayOutputStream> written;
    private final Writing writing;

    /**
     * @param like writes as the answer is written
     * @param written buffers that are used again: fresh memory costs more than what fills it
     */
    Part(
        PrintStream like,
        int together,
        int typical,
        Queue<ByteArrayOutputStream> written,
        Writing writing) {
      this.like = like;
      this.together = together;
      this.typical = typical;
      this.written = written;
      this.writing = writing;
    }

    @Override
    public ByteArrayOutputStream result(int task) {
      int begin = task * together;
      int end = Math.min(asked.size(), begin + together);
      ByteArrayOutputStream used = written.poll();
      ByteArrayOutputStream text =
          used == null ? new ByteArrayOutputStream((end - begin) * typical) : used;
      try (PrintStream out = Terminal.alike(like, text)) {
        writing.write(out, asked.subList(begin, end), begin == 0);
      }
      return text;
    }

    @Override
    public void close() {
      // Has nothing of its own.
    }
  }

  /** Writes an object of JSON per instruction. */
  private final class Lines implements Writing {
    private final InstructionRows rows = rows();
    private @Nullable InstructionObjects objects;

    @Override
    public void write(PrintStream out, List<ImageFunction> some, boolean isFirst) {
      InstructionObjects known = objects;
      if (known == null) {
        known = new InstructionObjects(rows, JsonRow.of(out));
        objects = known;
      }
      known.lines(out, sink -> all(rows, some, sink));
    }
  }

  /** Prints functions for people. */
  private final class Printing implements Writing {
    private final InstructionRows rows = rows();
    private final ListingColumns<InstructionRows.Row> columns = rows.columns();
    private final long limit;
    private final int width;

    Printing(long limit, int width) {
      this.limit = limit;
      this.width = width;
    }

    @Override
    public void write(PrintStream out, List<ImageFunction> some, boolean isFirst) {
      long shown = 0;
      boolean isSeparate = !isFirst;
      for (ImageFunction function : some) {
        if (limit != 0 && shown >= limit) {
          out.println("... " + Numbers.counted(asked.size(), "function") + " (-n 0 shows all)");
          return;
        }
        if (isSeparate) {
          out.println();
        }
        isSeparate = true;
        out.println(heading(function));
        String doubt = ImageFunctionRows.doubt(functions, function);
        if (doubt != null) {
          out.println("  " + doubt);
        }
        shown += table(function.rva(), function.size(), out, left(shown));
        ofArm(function.rva(), function.size(), out);
        notHeld(lacking(function), function.size(), out);
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
          shown += table(part.begin(), part.size(), out, left(shown));
          ofArm(part.begin(), part.size(), out);
          notHeld(lacking(part), part.size(), out);
        }
        if (omitted > 0) {
          out.println("  ... " + Numbers.counted(omitted, "further part") + " (-n 0 shows all)");
        }
      }
    }

    private void ofArm(long rva, long size, PrintStream out) {
      long bytes = arm.bytes(rva, rva + size);
      if (bytes > 0) {
        out.println("  " + CodeLeftOut.ofArm(bytes));
      }
    }

    private static void notHeld(long lacking, long size, PrintStream out) {
      if (lacking > 0) {
        out.println(
            "  the image does not hold "
                + (lacking == size ? "these " : "the last " + Numbers.count(lacking) + " of these ")
                + Numbers.counted(size, "byte"));
      }
    }

    private long left(long shown) {
      return limit == 0 ? 0 : limit - shown;
    }

    private long table(long rva, long size, PrintStream out, long most) {
      return new Listing<InstructionRows.Row>(
              "instructions", columns, sink -> range(rows, rva, size, sink))
          .table(out, most, width);
    }
  }

  private static String heading(ImageFunction function) {
    return (function.names().isEmpty() ? "" : String.join(", ", function.names()) + "  ")
        + Numbers.hex(function.rva())
        + ".."
        + Numbers.hex(function.end())
        + " ("
        + Numbers.counted(function.size(), "byte")
        + (function.bounded() ? "" : ", up to the next function")
        + ")";
  }
}

package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.build.PeBuilder;
import io.ntrail.formats.pe.build.PeSectionContent;
import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.target.TargetModule;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A library of a few exported functions, in its file and as it lies in memory. */
public final class Sketch {
  private static final int ROOM = 16;

  private final PeBuilder builder = PeBuilder.library(MachineType.AMD64);
  private final PeSectionContent code = builder.code();
  private PeBuilder.@Nullable Built built;

  /** A library without functions. */
  public Sketch() {
    code.fill(64, 0xCC);
  }

  /** A function with unwind data and room in front of it. */
  public Sketch function(String name, UnwindInfoBuilder unwind, int... bytes) {
    return part(name, unwind, bytes).exported(name);
  }

  /** One without unwind data. */
  public Sketch leaf(String name, int... bytes) {
    code.fill(ROOM, 0xCC).align(16, 0xCC).label(name).code(bytes);
    return exported(name);
  }

  /** Code with unwind data that is not exported. */
  public Sketch part(String name, UnwindInfoBuilder unwind, int... bytes) {
    code.fill(ROOM, 0xCC).align(16, 0xCC).label(name).code(bytes).label(name + ", end");
    builder.function(name, name + ", end", unwind);
    return this;
  }

  private Sketch exported(String name) {
    builder.exports(name, name);
    return this;
  }

  /** Returns the writer of its code. */
  public PeSectionContent code() {
    return code;
  }

  /** Returns the builder of the image. */
  public PeBuilder builder() {
    return builder;
  }

  private PeBuilder.Built built() {
    PeBuilder.Built made = built;
    if (made == null) {
      code.fill(64, 0xCC);
      made = builder.build();
      built = made;
    }
    return made;
  }

  /** Returns the RVA of a label. Nothing can be added from here on. */
  public long rva(String label) {
    return built().rva(label);
  }

  /** The bytes of its file. */
  public byte[] file() {
    return built().file();
  }

  /** The library in its file. */
  public PeImage stored() {
    return PeImage.ofFile(InputFile.of(built().file(), "sketch.dll"));
  }

  /** Its bytes as they lie in memory, at the base that the file prefers. */
  public byte[] memory() {
    PeImage stored = stored();
    byte[] memory = new byte[(int) stored.headers().sizeOfImage()];
    for (Extent extent : stored.view().extents()) {
      int length = (int) extent.storedLength();
      System.arraycopy(extent.stored().array(0, length), 0, memory, (int) extent.rva(), length);
    }
    return memory;
  }

  /** Plans all functions when these bytes are in memory. */
  public List<PlannedFunction> plan(byte[] memory, long base) {
    return plan(
        "sketch.dll", memory, base, PlanSymbols.NONE, Optional.of(FileCode.of(stored(), base)));
  }

  /** Plans all functions of a library with a name. */
  public static List<PlannedFunction> plan(
      String name, byte[] memory, long base, PlanSymbols symbols, Optional<FileCode> file) {
    PeImage image =
        PeImage.ofMemory(
            ImageView.of(name, List.of(new Extent(0, memory.length, Bytes.copyOf(memory, name)))));
    return Planner.plan(
        new TargetModule(base, memory.length, "C:\\" + name, name), image, symbols, file, ALL);
  }

  /** Everything. */
  public static final Planner.Selection ALL =
      new Planner.Selection() {
        @Override
        public boolean wants(TargetModule module, String name) {
          return true;
        }

        @Override
        public boolean excludes(TargetModule module, String name) {
          return false;
        }
      };

  /** Plans all functions of the library as it is. */
  public List<PlannedFunction> plan() {
    return plan(memory(), stored().headers().imageBase());
  }

  /** The one of that name. */
  public static PlannedFunction named(List<PlannedFunction> plan, String name) {
    return plan.stream()
        .filter(function -> function.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException(name));
  }
}

package io.ntrail.live.plan;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ClrHeader;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.live.target.TargetModule;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Language runtimes that walk the frames of their functions by rules of their own: they would meet
 * the return addresses of slots.
 *
 * <p>They are recognised by their exports and data, whatever their file name; by their name alone
 * only where it is that of one product.
 */
final class LanguageRuntimes {
  private static final String DOTNET = ".NET";
  private static final String SCRIPT = "JavaScript";

  /**
   * Evidence of a runtime.
   *
   * @param runtime whose
   * @param symbols names of exports, or of functions in the symbol table: one of them is enough
   */
  private record Sign(String runtime, List<String> symbols) {}

  private static final List<Sign> SIGNS =
      List.of(
          new Sign(
              DOTNET, List.of("g_CLREngineMetrics", "DotNetRuntimeInfo", "coreclr_initialize")),
          new Sign(".NET, compiled ahead of time", List.of("DotNetRuntimeDebugHeader")),
          new Sign("Mono", List.of("mono_jit_init", "mono_jit_init_version")),
          new Sign("Java", List.of("JNI_CreateJavaVM", "J9_CreateJavaVM")),
          new Sign("Java, compiled ahead of time", List.of("graal_create_isolate")),
          new Sign(SCRIPT, List.of("node_module_register", "napi_module_register")),
          new Sign(SCRIPT, List.of("JsCreateRuntime")),
          new Sign("Go", List.of("runtime.goexit", "runtime.morestack")),
          new Sign("OCaml", List.of("caml_start_program")));

  /** Mangled names of members of namespace v8, not of what only uses them. */
  private static final Pattern OF_V8 = Pattern.compile("\\?\\??[\\w$]+@(\\w+@)*v8@@.*|_ZNK?2v8.*");

  /** Names of modules in lower case, without extension. */
  private static final Set<String> NAMES =
      Set.of("coreclr", "clr", "mscorwks", "mscorsvr", "jvm", "chakra", "chakracore", "v8");

  private static final List<String> BEGINNINGS = List.of("mono-2.0", "monosgen-", "j9vm", "libgo-");

  /** Libraries of 32-bit programs that keep stacks and unwinders of their own. */
  private static final Set<String> CYGWIN = Set.of("cygwin1.dll", "msys-1.0.dll", "msys-2.0.dll");

  private static final Set<ClrHeader.Code> COMPILED =
      Set.of(ClrHeader.Code.READY_TO_RUN, ClrHeader.Code.NGEN);

  /** Magic of the build info that the Go linker writes. */
  private static final byte[] GO = "\u00FF Go buildinf:".getBytes(StandardCharsets.ISO_8859_1);

  private static final int GO_UNIT = 16;
  private static final int GO_MOST = 1 << 20;

  private LanguageRuntimes() {}

  /**
   * Returns the runtime that a module belongs to, with the reason; empty for others.
   *
   * @param symbols names of functions in its symbol table
   */
  static Optional<String> of(
      TargetModule module, PeImage image, Exports exports, Collection<String> symbols) {
    Set<String> names = new HashSet<>(symbols);
    for (Exports.Export export : exports.list()) {
      if (export.name() != null && export.forward() == null) {
        names.add(export.name());
      }
    }
    for (Sign sign : SIGNS) {
      for (String name : sign.symbols) {
        if (names.contains(name)) {
          return Optional.of(sign.runtime + ": it has " + name);
        }
      }
    }
    if (names.stream().anyMatch(name -> OF_V8.matcher(name).matches())) {
      return Optional.of(SCRIPT + ": has V8 functions");
    }
    Optional<ClrHeader.Code> managed = ClrHeader.of(image).map(ClrHeader::code);
    if (managed.isPresent() && COMPILED.contains(managed.get())) {
      return Optional.of(DOTNET + ": precompiled code (ReadyToRun or NGEN)");
    }
    if (image.headers().machine() == MachineType.I386) {
      for (Imports.Module imported : Imports.of(image).modules()) {
        if (CYGWIN.contains(imported.name().toLowerCase(Locale.ROOT))) {
          return Optional.of("Cygwin: it imports " + imported.name());
        }
      }
    }
    if (isGo(image)) {
      return Optional.of("Go: build info of the Go linker");
    }
    String stem = module.stem().toLowerCase(Locale.ROOT);
    return NAMES.contains(stem) || BEGINNINGS.stream().anyMatch(stem::startsWith)
        ? Optional.of("its name is " + module.name())
        : Optional.empty();
  }

  /** Returns whether a runtime is that of Go, by the reason that {@link #of} gives. */
  static boolean isGo(String runtime) {
    return runtime.startsWith("Go:");
  }

  private static boolean isGo(PeImage image) {
    return image.sections().stream()
        .filter(section -> section.is(Section.WRITE))
        .anyMatch(section -> hasGo(image, section));
  }

  private static boolean hasGo(PeImage image, Section section) {
    try {
      Bytes data = image.view().window(section.rva(), Math.min(GO_MOST, section.size()));
      for (int at = 0; data.has(at, GO.length); at += GO_UNIT) {
        if (data.u8(at) == 0xFF && Arrays.equals(data.array(at, GO.length), GO)) {
          return true;
        }
      }
      return false;
    } catch (DamagedInput e) {
      return false;
    }
  }
}

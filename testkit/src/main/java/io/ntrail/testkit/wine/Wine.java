package io.ntrail.testkit.wine;

import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The Wine of this machine with a prefix (a Windows of its own: registry, system folder, server)
 * that lives as long as this JVM.
 *
 * <p>The first prefix takes seconds to make; it stays as a template in the build's folder, and each
 * JVM works on a copy. The server stays while tests run, which makes the start of a program ten
 * times faster. Absent: {@link #available} says no, or fails if {@code NTRAIL_REQUIRE} demands
 * {@code wine}. A second one runs 32-bit programs: {@link #available32}, and {@code wine32}. A
 * third one runs both, 32-bit programs as 64-bit Windows does: {@link #availableWow64}.
 */
public final class Wine {
  private static final ExternalTool LOADER =
      ExternalTool.of("wine", "wine", "wine64", "/usr/lib/wine/wine64");
  private static final ExternalTool SERVER =
      ExternalTool.of(
          "wine", "wineserver", "/usr/lib/wine/wineserver64", "/usr/lib/wine/wineserver");

  /** Folders of the loader: that of {@code build/install-wine32} and that of Debian's package. */
  private static final ExternalTool LOADER_32 =
      ExternalTool.of("wine32", "/usr/local/lib/wine32/usr/lib/wine/wine", "/usr/lib/wine/wine");

  private static final ExternalTool SERVER_32 =
      ExternalTool.of(
          "wine32",
          "/usr/local/lib/wine32/usr/lib/wine/wineserver32",
          "/usr/lib/wine/wineserver32");

  /** The one that runs 64-bit programs, where {@code wine} is the one for 32-bit programs. */
  private static final ExternalTool LOADER_64 =
      ExternalTool.of("wine", "wine64", "/usr/lib/wine/wine64");

  /** Folders with libraries for 32-bit programs: those of the tools for 32-bit programs. */
  private static final List<Path> LIBRARIES_32 =
      List.of(
          Path.of("/usr/local/lib/wine32/usr/lib/i386-linux-gnu/wine"),
          Path.of("/usr/lib/i386-linux-gnu/wine"));

  /** A Wine without the library for fonts says so when a program with windows begins. */
  private static final String NO_FONTS =
      """
      Wine cannot find the FreeType font library.  To enable Wine to
      use TrueType fonts please install a version of FreeType greater than
      or equal to 2.0.5.
      http://www.freetype.org
      """;

  private static final Duration SETUP = Duration.ofMinutes(4);

  /** Programs that one runs. */
  private enum Kind {
    X64("win64", "template"),
    X86("win32", "template32"),
    WOW64("win64", "template-wow64");

    private final String architecture;
    private final String template;

    Kind(String architecture, String template) {
      this.architecture = architecture;
      this.template = template;
    }

    Path loader() {
      return Path.of(
          switch (this) {
            case X64 -> LOADER.path();
            case X86 -> LOADER_32.path();
            case WOW64 -> LOADER_64.path();
          });
    }

    Path server() {
      return Path.of((this == X86 ? SERVER_32 : SERVER).path());
    }
  }

  private final Path prefix;
  private final Path loader;
  private final Path server;
  private final Map<String, String> environment;

  /**
   * Result of a program.
   *
   * @param exitCode of the 32 bits that Windows knows the lowest 8, which Unix hands on
   * @param text all of its standard output, each byte a character
   * @param errors all of its error output, without what Wine itself says about fonts
   */
  public record Outcome(int exitCode, String text, String errors) {}

  /** Made when it is first requested; the class loader sees to it that this happens once. */
  private static final class Shared {
    static final Wine WINE = make("prefix-", Kind.X64, Map.of());
  }

  /** Wine for 32-bit programs, made when it is first requested. */
  private static final class Shared32 {
    static final Wine WINE = make("prefix32-", Kind.X86, Map.of());
  }

  /** Wine for programs of both kinds, made when it is first requested. */
  private static final class SharedWow64 {
    static final Wine WINE = make("prefix-wow64-", Kind.WOW64, Map.of());
  }

  /** True if the kernel runs 32-bit programs at all: the loader is one. */
  private static final class Runs32 {
    static final boolean RUNS = runs();

    private static boolean runs() {
      try {
        return Wine.wait(builder(Map.of(), List.of(LOADER_32.path(), "--version")), SETUP) == 0;
      } catch (IOException e) {
        return false;
      }
    }
  }

  private Wine(Path prefix, Path loader, Path server, Map<String, String> environment) {
    this.prefix = prefix;
    this.loader = loader;
    this.server = server;
    this.environment = environment;
  }

  /** Returns true if there is one; the condition of an assumption. */
  public static boolean available() {
    return LOADER.available() && SERVER.available();
  }

  /** Returns the reason to skip tests where {@link #available} is false. */
  public static String missing() {
    return LOADER.missing();
  }

  /**
   * Returns true if there is one for 32-bit programs, and the kernel runs them.
   *
   * @throws IllegalStateException if not and {@code NTRAIL_REQUIRE} demands {@code wine32}
   */
  public static boolean available32() {
    if (!LOADER_32.available() || !SERVER_32.available()) {
      return false;
    }
    if (!Runs32.RUNS && TestData.required("wine32")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands wine32: " + missing32());
    }
    return Runs32.RUNS;
  }

  /** Returns the reason to skip tests where {@link #available32} is false. */
  public static String missing32() {
    return LOADER_32.available() && SERVER_32.available()
        ? "the kernel does not run 32-bit programs"
        : "not installed: Wine for 32-bit programs (build/install-wine32)";
  }

  /**
   * Returns true if there is one that runs 32-bit programs beside 64-bit programs.
   *
   * @throws IllegalStateException if not and {@code NTRAIL_REQUIRE} demands {@code wine32}
   */
  public static boolean availableWow64() {
    boolean available = LOADER_64.available() && available() && libraries32().isPresent();
    if (!available && TestData.required("wine32")) {
      throw new IllegalStateException("NTRAIL_REQUIRE demands wine32: " + missingWow64());
    }
    return available;
  }

  /** Returns the reason to skip tests where {@link #availableWow64} is false. */
  public static String missingWow64() {
    return "not installed: libraries of Wine for 32-bit programs (build/install-wine32)";
  }

  /** Returns the folder of a 32-bit Wine's libraries; empty if there is none. */
  public static Optional<Path> libraries32() {
    return LIBRARIES_32.stream()
        .filter(folder -> Files.exists(folder.resolve("i386-windows/ntdll.dll")))
        .findFirst();
  }

  /** The one for programs of both kinds that all tests of this JVM share. */
  public static Wine sharedWow64() {
    return SharedWow64.WINE;
  }

  /** The one that all tests of this JVM share. */
  public static Wine shared() {
    return Shared.WINE;
  }

  /** The one for 32-bit programs that all tests of this JVM share. */
  public static Wine shared32() {
    return Shared32.WINE;
  }

  /**
   * One of its own, whose programs have windows.
   *
   * @param display the X server's, as in {@code :1}
   */
  public static Wine onScreen(String display) {
    return make(
        "screen" + display.replaceAll("\\W", "-") + "-", Kind.X64, Map.of("DISPLAY", display));
  }

  /** One of its own for 32-bit programs, whose programs have windows. */
  public static Wine onScreen32(String display) {
    return make(
        "screen32" + display.replaceAll("\\W", "-") + "-", Kind.X86, Map.of("DISPLAY", display));
  }

  /** Returns true if 32-bit programs can have windows: the libraries for fonts are there. */
  public static boolean hasWindows32() {
    return available32()
        && LIBRARIES_32.stream()
            .anyMatch(folder -> Files.exists(folder.resolveSibling("libfreetype.so.6")));
  }

  /** One of its own, which nothing runs in; the first program begins it, wherever that runs. */
  public static Wine apart(String name) {
    Wine wine = make(name + "-", Kind.X64, Map.of());
    try {
      wait(builder(wine.environment, List.of(wine.server.toString(), "-k")), SETUP);
    } catch (IOException e) {
      throw new IllegalStateException("the server of a prefix could not be ended", e);
    }
    return wine;
  }

  /** The program that runs programs for Windows. */
  public Path loader() {
    return loader;
  }

  /** The variables that whatever runs here needs. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Ends all of its programs; there is nothing left of it then. */
  public void end() {
    end(prefix, server, environment);
  }

  /** Returns the folder of its files. */
  public Path prefix() {
    return prefix;
  }

  private static Map<String, String> environment(Path prefix, Kind kind) {
    Map<String, String> environment =
        new TreeMap<>(
            Map.of(
                "WINEPREFIX", prefix.toString(),
                "WINEARCH", kind.architecture,
                "WINEDEBUG", "-all",
                // No Mono, no Gecko, no menus.
                "WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=",
                // Console programs need no screen; an empty name is none.
                "DISPLAY", ""));
    if (kind == Kind.X86) {
      // It is not where a Wine looks for itself.
      environment.put("WINELOADER", LOADER_32.path());
      environment.put("WINESERVER", SERVER_32.path());
    } else if (kind == Kind.WOW64) {
      environment.put("WINEDLLPATH", libraries32().orElseThrow().toString());
    }
    return environment;
  }

  /** A folder for what the build makes: it goes when the build is cleaned. */
  static Path folder() {
    return TestData.projectRoot().resolve("target").resolve("wine");
  }

  private static Wine make(String name, Kind kind, Map<String, String> more) {
    try {
      Path loader = kind.loader();
      Path server = kind.server();
      Path folder = Files.createDirectories(folder());
      Path template = template(folder, kind, loader, server);
      Path prefix = folder.resolve(name + ProcessHandle.current().pid());
      wait(
          builder(
              Map.of(), List.of("cp", "-a", "--reflink=auto", template + "/.", prefix.toString())),
          SETUP);
      completeLibraries(prefix, kind);
      Map<String, String> environment = environment(prefix, kind);
      environment.putAll(more);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(prefix, server, environment)));
      wait(builder(environment, List.of(server.toString(), "-p")), SETUP);
      return new Wine(prefix, loader, server, Map.copyOf(environment));
    } catch (IOException e) {
      throw new IllegalStateException("no prefix for Wine could be made", e);
    }
  }

  /**
   * Debian's gdi32, which all programs with windows need, imports a library that is none of Wine's:
   * a prefix gets it only so.
   */
  private static void completeLibraries(Path prefix, Kind kind) throws IOException {
    if (kind == Kind.X64) {
      return;
    }
    String system = kind == Kind.X86 ? "system32" : "syswow64";
    Path place = prefix.resolve("drive_c/windows").resolve(system).resolve("zlib1.dll");
    Optional<Path> library =
        libraries32().map(folder -> folder.resolve("i386-windows/zlib1.dll")).filter(Files::exists);
    if (library.isPresent() && !Files.exists(place)) {
      Files.copy(library.get(), place);
    }
  }

  /** Several JVMs test at once: the first makes it, and the others wait. */
  private static Path template(Path folder, Kind kind, Path loader, Path server)
      throws IOException {
    String name = kind.template;
    Path template = folder.resolve(name);
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve(name + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      if (!Files.exists(template)) {
        // Made beside it and moved, so that half of one never counts as one.
        Path fresh = Files.createTempDirectory(folder, "fresh");
        Map<String, String> environment = environment(fresh, kind);
        wait(builder(environment, List.of(loader.toString(), "wineboot", "-i")), SETUP);
        wait(builder(environment, List.of(server.toString(), "-w")), SETUP);
        Files.move(fresh, template);
      }
    }
    return template;
  }

  private static void end(Path prefix, Path server, Map<String, String> environment) {
    if (!Files.exists(prefix)) {
      return;
    }
    try {
      wait(builder(environment, List.of(server.toString(), "-k")), Duration.ofSeconds(20));
      wait(builder(Map.of(), List.of("rm", "-rf", prefix.toString())), Duration.ofMinutes(1));
    } catch (IOException e) {
      System.err.println("the prefix of Wine could not be removed: " + e.getMessage());
    }
  }

  private static ProcessBuilder builder(Map<String, String> environment, List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    return builder;
  }

  private static int wait(ProcessBuilder builder, Duration limit) throws IOException {
    return end(builder.start(), builder.command(), limit);
  }

  private static int end(Process process, List<String> command, Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(command + " did not end in " + limit);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(command + " was interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Runs a program, as Wine alone would.
   *
   * @param folder where it runs
   * @param input what it can read
   * @param limit after this it is ended
   * @param command a path of this machine, and arguments
   * @throws IllegalStateException if it did not end by itself
   */
  public Outcome run(Path folder, byte[] input, Duration limit, String... command)
      throws IOException {
    List<String> whole = new ArrayList<>(List.of(loader.toString()));
    whole.addAll(List.of(command));
    Path scratch = Files.createTempDirectory(folder(), "run");
    try {
      Path in = Files.write(scratch.resolve("in"), input);
      Path out = scratch.resolve("out");
      Path errors = scratch.resolve("errors");
      ProcessBuilder builder =
          new ProcessBuilder(whole)
              .directory(folder.toFile())
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(errors.toFile());
      builder.environment().putAll(environment());
      int code = end(builder.start(), whole, limit);
      return new Outcome(
          code,
          Files.readString(out, StandardCharsets.ISO_8859_1),
          Files.readString(errors, StandardCharsets.ISO_8859_1).replace(NO_FONTS, ""));
    } finally {
      for (String name : List.of("in", "out", "errors")) {
        Files.deleteIfExists(scratch.resolve(name));
      }
      Files.delete(scratch);
    }
  }
}

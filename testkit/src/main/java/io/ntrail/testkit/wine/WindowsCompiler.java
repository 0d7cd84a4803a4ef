package io.ntrail.testkit.wine;

import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Compilers that make 64-bit and 32-bit programs for Windows here. What they made is kept in the
 * build's folder, named by the content of its source and the options.
 */
public final class WindowsCompiler {
  /** GCC for C. */
  public static final WindowsCompiler MINGW_C =
      new WindowsCompiler("mingw-c", ExternalTool.of("mingw", "x86_64-w64-mingw32-gcc"));

  /** GCC for C++; its exceptions are those of the system. */
  public static final WindowsCompiler MINGW_CXX =
      new WindowsCompiler("mingw-cxx", ExternalTool.of("mingw", "x86_64-w64-mingw32-g++"));

  /** Clang for C with Microsoft's extensions ({@code __try}), linked by GCC's linker. */
  public static final WindowsCompiler CLANG =
      new WindowsCompiler("clang", clang(), "x86_64-pc-windows-msvc", MINGW_C);

  /** GCC for C, 32-bit programs. */
  public static final WindowsCompiler MINGW_C_32 =
      new WindowsCompiler("mingw-c-32", ExternalTool.of("mingw32", "i686-w64-mingw32-gcc"));

  /** GCC for C++, 32-bit programs; its exceptions are its own (DWARF). */
  public static final WindowsCompiler MINGW_CXX_32 =
      new WindowsCompiler("mingw-cxx-32", ExternalTool.of("mingw32", "i686-w64-mingw32-g++"));

  /**
   * GCC for C++, 32-bit programs that have their runtimes, the unwinder among them, in libraries
   * beside them ({@link #runtime32}).
   */
  public static final WindowsCompiler MINGW_CXX_SHARED_32 =
      new WindowsCompiler(
          "mingw-cxx-shared-32", ExternalTool.of("mingw32", "i686-w64-mingw32-g++"));

  /** Clang for C with Microsoft's extensions, 32-bit programs. */
  public static final WindowsCompiler CLANG_32 =
      new WindowsCompiler("clang-i686-exports", clang(), "i686-pc-windows-msvc", MINGW_C_32);

  /** Clang for C with GCC's headers and rules, linked by GCC's linker. */
  public static final WindowsCompiler CLANG_GNU =
      new WindowsCompiler("clang-gnu", clang(), "x86_64-w64-mingw32", MINGW_C);

  /** Clang for C with GCC's headers and rules, 32-bit programs. */
  public static final WindowsCompiler CLANG_GNU_32 =
      new WindowsCompiler("clang-gnu-32", clang(), "i686-w64-mingw32", MINGW_C_32);

  /** Leaves out most of windows.h, which takes a compiler half of its time. */
  private static final String LEAN = "-DWIN32_LEAN_AND_MEAN";

  private static final List<String> TO_LINK =
      List.of("-static", "-static-libgcc", "-Wl,--no-insert-timestamp");

  private static final List<String> TO_SHARE =
      List.of("-shared-libgcc", "-Wl,--no-insert-timestamp");

  private final String id;
  private final ExternalTool tool;

  /** Target that is named to the compiler, which only compiles then; empty: it links as well. */
  private final String target;

  /** The one that links. */
  private final WindowsCompiler linker;

  private WindowsCompiler(String id, ExternalTool tool) {
    this.id = id;
    this.tool = tool;
    this.target = "";
    this.linker = this;
  }

  private WindowsCompiler(String id, ExternalTool tool, String target, WindowsCompiler linker) {
    this.id = id;
    this.tool = tool;
    this.target = target;
    this.linker = linker;
  }

  private static ExternalTool clang() {
    return ExternalTool.of("clang", "clang-14", "clang");
  }

  /** Returns whether it compiles only. */
  private boolean isClang() {
    return !target.isEmpty();
  }

  /** Returns true if it is installed; the condition of an assumption. */
  public boolean available() {
    return tool.available() && linker.tool.available();
  }

  /** Returns the reason to skip tests where {@link #available} is false. */
  public String missing() {
    return tool.available() ? linker.tool.missing() : tool.missing();
  }

  /**
   * Builds a program, or finds it built.
   *
   * @param sources in one folder; the first one names the program
   * @param options of the compiler
   * @throws IllegalStateException with what the compiler says if it refuses
   */
  public Path build(List<Path> sources, String... options) throws IOException {
    Path first = sources.getFirst();
    String name = first.getFileName().toString().replaceFirst("\\..*", "");
    Path folder = Files.createDirectories(Wine.folder().resolve("programs"));
    boolean library = List.of(options).contains("-shared");
    Path program =
        folder.resolve(name + "-" + hash(sources, options) + (library ? ".dll" : ".exe"));
    if (Files.exists(program)) {
      return program;
    }
    Path scratch = Files.createTempDirectory(folder, name);
    Path made = scratch.resolve("made");
    List<String> inputs = new ArrayList<>();
    if (isClang()) {
      for (Path source : sources) {
        Path object = scratch.resolve(source.getFileName() + ".o");
        List<String> command =
            new ArrayList<>(
                List.of(
                    "--target=" + target,
                    "-fms-extensions",
                    "-c",
                    "-w",
                    LEAN,
                    source.toString(),
                    "-o",
                    object.toString()));
        if (this == CLANG_32) {
          // Else each string has a symbol whose name the linker cannot export.
          command.add("-fwritable-strings");
        }
        command.addAll(List.of(options));
        run(tool, command);
        if (this == CLANG_32) {
          // GCC's linker puts this list of handlers below the image, which does not load then.
          run(
              ExternalTool.of("mingw32", "i686-w64-mingw32-objcopy"),
              List.of("-R", ".sxdata", object.toString()));
        }
        inputs.add(object.toString());
      }
    } else {
      sources.forEach(source -> inputs.add(source.toString()));
    }
    List<String> command = new ArrayList<>(inputs);
    command.addAll(List.of("-o", made.toString()));
    if (isClang()) {
      if (this == CLANG || this == CLANG_32) {
        // The linker does not understand the directives by which clang asks for exports.
        command.add("-Wl,--export-all-symbols");
      }
      if (library) {
        command.add("-shared");
      }
    } else {
      command.add(LEAN);
      command.addAll(List.of(options));
    }
    command.addAll(this == MINGW_CXX_SHARED_32 ? TO_SHARE : TO_LINK);
    run(linker.tool, command);
    // GCC adds the extension that it thinks is missing.
    Path written = Files.exists(made) ? made : scratch.resolve("made.exe");
    Files.move(written, program, StandardCopyOption.ATOMIC_MOVE);
    for (String input : inputs) {
      if (Path.of(input).startsWith(scratch)) {
        Files.delete(Path.of(input));
      }
    }
    Files.delete(scratch);
    return program;
  }

  /**
   * Returns a library that GCC has for 32-bit programs.
   *
   * @param name its file's, as in {@code libgcc_s_dw2-1.dll}
   */
  public static Path runtime32(String name) throws IOException {
    return Path.of(run(MINGW_CXX_SHARED_32.tool, List.of("-print-file-name=" + name)).strip());
  }

  /** Copies an image without its debug information. */
  public static void strip(Path image, Path copy) throws IOException {
    run(
        ExternalTool.of("mingw", "x86_64-w64-mingw32-strip"),
        List.of("-g", "-o", copy.toString(), image.toString()));
  }

  /**
   * Copies a 32-bit image without its debug information and without the unwind data of GCC, which
   * LLDB reads wrongly: it numbers registers as for Linux.
   */
  public static void strip32(Path image, Path copy) throws IOException {
    run(
        ExternalTool.of("mingw32", "i686-w64-mingw32-strip"),
        List.of("-g", "-R", ".eh_frame", "-o", copy.toString(), image.toString()));
  }

  /** Copies a 32-bit image without its symbols. */
  public static void stripAll32(Path image, Path copy) throws IOException {
    run(
        ExternalTool.of("mingw32", "i686-w64-mingw32-strip"),
        List.of("-s", "-o", copy.toString(), image.toString()));
  }

  private static String run(ExternalTool tool, List<String> command) throws IOException {
    try {
      ExternalTool.Outcome outcome =
          tool.run(Path.of("."), Map.of("LC_ALL", "C"), command.toArray(String[]::new));
      if (outcome.exitCode() != 0) {
        throw new IllegalStateException(command + ": " + outcome.errors());
      }
      return outcome.output();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(command + " was interrupted", e);
    }
  }

  private String hash(List<Path> sources, String[] options) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(id.getBytes(StandardCharsets.UTF_8));
      digest.update(LEAN.getBytes(StandardCharsets.UTF_8));
      digest.update(String.join("\n", options).getBytes(StandardCharsets.UTF_8));
      digest.update(String.join("\n", TO_LINK).getBytes(StandardCharsets.UTF_8));
      // Headers lie beside the sources, and count, too.
      for (Path source : sources) {
        digest.update(Files.readAllBytes(source));
      }
      Path folder = sources.getFirst().toAbsolutePath().getParent();
      if (folder != null) {
        try (var files = Files.list(folder)) {
          for (Path header : files.filter(f -> f.toString().endsWith(".h")).sorted().toList()) {
            digest.update(Files.readAllBytes(header));
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.ntrail.cli.common;

import io.ntrail.analysis.calls.CallImageSymbols;
import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.calls.JtrcCalls;
import io.ntrail.analysis.calls.NtrCalls;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.formats.jtrc.JtrcHeader;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ImageFileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Opens recordings of calls, of whatever kind, and finds names for what they hold. */
public final class CallFiles {
  private static final int MOST_FILES = 20_000;

  private CallFiles() {}

  /** Returns whether a file is a call recording, from its first bytes. */
  public static boolean isCalls(Path path) {
    if (!Files.isRegularFile(path)) {
      return false;
    }
    List<InputFile> inputs = List.of();
    try {
      inputs = Archives.open(path, CallFiles::isCallsName, new Gaps());
      return !inputs.isEmpty() && inputs.stream().allMatch(CallFiles::isCalls);
    } catch (CannotGoOn e) {
      // Whoever reads it for what it is says why.
      return false;
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  /**
   * The recording of calls that a command is given; null if it is about others.
   *
   * @throws UsageError if it is not alone
   */
  public static @Nullable Path only(List<Path> paths, String command) {
    if (paths.size() == 1) {
      return isCalls(paths.getFirst()) ? paths.getFirst() : null;
    }
    for (Path path : paths) {
      // Many others need not be unpacked to find out.
      if (isCallsName(unpackedName(path).toLowerCase(Locale.ROOT)) && isCalls(path)) {
        throw new UsageError(
            command + " takes one call recording at a time, and " + path + " is one",
            "ntrail " + command + " " + path);
      }
    }
    return null;
  }

  private static boolean isCalls(InputFile input) {
    return JtrcHeader.looksLike(input) || NtrFile.looksLikeRecording(input);
  }

  private static boolean isCallsName(String name) {
    return name.endsWith(".jtrc") || name.endsWith(".ntr");
  }

  /**
   * Opens a recording of calls.
   *
   * @throws CannotGoOn if it is none
   */
  public static CallRecording open(Path path) {
    Gaps gaps = new Gaps();
    List<InputFile> inputs = Archives.open(path, CallFiles::isCallsName, gaps);
    if (inputs.size() != 1) {
      inputs.forEach(InputFile::close);
      throw new CannotGoOn(
          path + " holds " + inputs.size() + " call recordings", "unpack it and name one");
    }
    InputFile input = inputs.getFirst();
    if (NtrFile.looksLikeRecording(input)) {
      return new CallRecording(new NtrCalls(NtrFile.open(input, gaps), gaps));
    }
    if (input.size() == 0) {
      input.close();
      throw new CannotGoOn(path + " is empty", "");
    }
    if (!JtrcHeader.looksLike(input)) {
      input.close();
      boolean isEvents = path.toString().toLowerCase(Locale.ROOT).endsWith(".etl");
      throw new CannotGoOn(
          path + " is not a call recording",
          isEvents ? "ntrail profile " + path + " --tree" : "supported: .ntr, .jtrc (NTrace)");
    }
    return new CallRecording(new JtrcCalls(JtrcFile.open(input, gaps), gaps));
  }

  /**
   * Names of the recording's modules from the images in some places.
   *
   * @param places images, or folders of them; of folders only what has a module's name is opened
   */
  public static CallImageSymbols images(
      CallRecording recording, List<String> places, Terminal terminal) {
    if (places.isEmpty()) {
      return CallImageSymbols.NONE;
    }
    CallImageSymbols images = new CallImageSymbols();
    List<CallModule> modules = recording.source().modules();
    for (String place : places) {
      Path path = CommonOptions.path(place);
      if (Files.isDirectory(path)) {
        for (Path file : imageFiles(path, modules)) {
          try {
            add(images, file, modules);
          } catch (CannotGoOn e) {
            // Nobody named it: a file that is called like a module and is no image has no names.
          }
        }
      } else {
        named(images, path, modules, terminal);
      }
    }
    for (CallImageSymbols.Wrong wrong : images.wrong()) {
      terminal
          .err()
          .println(
              "warning: "
                  + wrong.file()
                  + " is not the "
                  + wrong.module()
                  + " of this recording: "
                  + wrong.why());
    }
    return images;
  }

  /** An image that somebody named has names for something, or it is said why not. */
  private static void named(
      CallImageSymbols images, Path file, List<CallModule> modules, Terminal terminal) {
    if (!Files.exists(file)) {
      throw new CannotGoOn("no such file: " + file, "");
    }
    int wrong = images.wrong().size();
    try {
      if (add(images, file, modules) == 0 && images.wrong().size() == wrong) {
        terminal
            .err()
            .println("warning: no names from " + file + ": no such module in the recording");
      }
    } catch (CannotGoOn e) {
      terminal.err().println("warning: no names: " + e.message());
    }
  }

  /** For how many modules a file has names. */
  private static int add(CallImageSymbols images, Path file, List<CallModule> modules) {
    List<InputFile> inputs = Archives.open(file, ImageFileNames::isImageName, new Gaps());
    try {
      int taken = 0;
      for (InputFile input : inputs) {
        taken += images.add(unpackedName(file), PeImage.ofFile(input), modules);
      }
      return taken;
    } finally {
      inputs.forEach(InputFile::close);
    }
  }

  /** The last part of the path, without what a packer added. */
  public static String unpackedName(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.toLowerCase(Locale.ROOT).endsWith(".gz")
        ? name.substring(0, name.length() - 3)
        : name;
  }

  private static List<Path> imageFiles(Path place, List<CallModule> modules) {
    Set<String> wanted = new HashSet<>();
    modules.forEach(module -> wanted.add(module.name().toLowerCase(Locale.ROOT)));
    List<Path> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(place, 4)) {
      files
          .limit(MOST_FILES)
          .filter(file -> wanted.contains(unpackedName(file).toLowerCase(Locale.ROOT)))
          .filter(Files::isRegularFile)
          .sorted()
          .forEach(found::add);
    } catch (IOException e) {
      throw new CannotGoOn("cannot read " + place + ": " + e.getMessage(), "");
    }
    return List.copyOf(found);
  }

  /** {@code thread 568 (0x238)}, with its name if it has one. */
  public static String thread(io.ntrail.analysis.calls.CallThread thread) {
    @Nullable String name = thread.name();
    return "thread "
        + Long.toUnsignedString(thread.tid())
        + " (0x"
        + Long.toHexString(thread.tid())
        + ")"
        + (name == null ? "" : " \"" + name + "\"");
  }
}

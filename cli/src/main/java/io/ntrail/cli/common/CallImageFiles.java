package io.ntrail.cli.common;

import io.ntrail.analysis.calls.CallImageSymbols;
import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
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

/** Images that were named to find names for the functions of a call recording. */
public final class CallImageFiles {
  private static final int MOST_FILES = 20_000;

  private CallImageFiles() {}

  /**
   * Returns names for the recording's modules from the images in some places.
   *
   * @param places images, or folders of them; of folders only what has a module's name is opened
   */
  public static CallImageSymbols symbols(
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
            // It was not named itself: a file that is named like a module and is not an image has
            // no names.
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
                  + " does not match the recorded "
                  + wrong.module()
                  + ": "
                  + wrong.why());
    }
    return images;
  }

  /** Adds an image that was named itself, or warns that it has no names. */
  private static void named(
      CallImageSymbols images, Path file, List<CallModule> modules, Terminal terminal) {
    if (!Files.exists(file)) {
      // There is a warning of this already.
      return;
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

  /** Adds the names in a file; returns the number of modules that they belong to. */
  private static int add(CallImageSymbols images, Path file, List<CallModule> modules) {
    List<InputFile> inputs =
        Archives.open(
            file, MemberChoice.of(ImageFileNames::isImageName, PeImage::refuseOthers), new Gaps());
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
  private static String unpackedName(Path file) {
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
}

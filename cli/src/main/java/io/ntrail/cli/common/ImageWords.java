package io.ntrail.cli.common;

import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pe.PeImage;

/** Words that name an image to {@code ntrail image}, for the commands that messages propose. */
public final class ImageWords {
  private ImageWords() {}

  /** Returns the file, or {@code --from DUMP MODULE} for an image that came out of a dump. */
  public static String of(PeImage image) {
    String name = image.name();
    int module = name.lastIndexOf('!');
    if (image.file().isPresent() || module < 0) {
      return ShellWords.file(name);
    }
    // Of a dump in an archive the archive is named.
    String dump = name.substring(0, module).split("!/", 2)[0];
    return "--from " + ShellWords.file(dump) + " " + ShellWords.of(name.substring(module + 1));
  }
}

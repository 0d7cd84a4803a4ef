package io.ntrail.programs.symbols;

import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.archives.MemberChoice;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A program, library or driver with the files that it is read from, which may be packed. */
public final class OpenImage implements FileRequest.Opened {
  private final Path path;
  private final PeImage image;
  private final List<InputFile> inputs;

  private OpenImage(Path path, PeImage image, List<InputFile> inputs) {
    this.path = path;
    this.image = image;
    this.inputs = inputs;
  }

  /**
   * Opens an image.
   *
   * @param member of an archive; empty if the file is the image, packed or not
   * @param name of the file in messages
   * @throws CannotGoOn if it is none
   */
  static OpenImage open(Path path, String member, String name) {
    List<InputFile> inputs =
        Archives.open(
            path,
            name,
            MemberChoice.of(
                inner -> member.isEmpty() || inner.equals(member.toLowerCase(Locale.ROOT)),
                PeImage::refuseOthers),
            new Gaps());
    boolean done = false;
    try {
      if (inputs.size() != 1) {
        throw new CannotGoOn("%s contains %d files, not one".formatted(name, inputs.size()), "");
      }
      OpenImage open = new OpenImage(path, PeImage.ofFile(inputs.getFirst()), inputs);
      done = true;
      return open;
    } finally {
      if (!done) {
        inputs.forEach(InputFile::close);
      }
    }
  }

  /** Returns its path. */
  public Path path() {
    return path;
  }

  /** Returns the image; not to be used after this is closed. */
  public PeImage image() {
    return image;
  }

  /** Its bytes. */
  public InputFile input() {
    return inputs.getFirst();
  }

  @Override
  public void close() {
    inputs.forEach(InputFile::close);
  }
}

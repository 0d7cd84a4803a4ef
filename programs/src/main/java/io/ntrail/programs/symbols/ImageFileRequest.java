package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.pe.PeHeaders;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The file of an image: only one whose header has the time stamp and the size that were recorded.
 *
 * @param kinds see {@link FileRequest#kinds}
 */
public record ImageFileRequest(StoreKey key, ImageId id, List<String> kinds)
    implements FileRequest<OpenImage> {
  private static final List<String> KINDS = List.of("exe", "dll", "sys");

  /**
   * Returns the file of an image by its name and build; empty if the time stamp is unknown or the
   * name cannot be a key of a store.
   *
   * @param name the file's name without a folder
   * @param id time stamp 0 means unknown
   */
  public static Optional<ImageFileRequest> of(String name, ImageId id) {
    String lowerCase = name.toLowerCase(Locale.ROOT);
    List<String> kinds = KINDS.stream().filter(kind -> lowerCase.endsWith("." + kind)).toList();
    return id.timestamp() == 0
        ? Optional.empty()
        : StoreKey.image(name, id).map(key -> new ImageFileRequest(key, id, kinds));
  }

  /** Copies the list. */
  public ImageFileRequest {
    kinds = List.copyOf(kinds);
  }

  // Written out: what a record makes of itself at run time costs milliseconds at every start.
  @Override
  public boolean equals(Object other) {
    return other instanceof ImageFileRequest request
        && request.key.equals(key)
        && request.id.equals(id)
        && request.kinds.equals(kinds);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * key.hashCode() + id.hashCode()) + kinds.hashCode();
  }

  @Override
  public OpenImage open(Path file, String member, String name) {
    OpenImage open;
    try {
      open = OpenImage.open(file, member, name);
    } catch (DamagedInput e) {
      throw new CannotGoOn(name + " is not an image: " + e.getMessage(), "");
    }
    PeHeaders headers = open.image().headers();
    if (headers.timestamp() == id.timestamp() && headers.sizeOfImage() == id.size()) {
      return open;
    }
    open.close();
    ImageId other = new ImageId(headers.timestamp(), headers.sizeOfImage());
    throw new CannotGoOn(
        "%s is a different build (%s, not %s)".formatted(name, other.key(), id.key()), "");
  }
}

package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.naming.ImageFile;
import io.ntrail.analysis.naming.Images;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.symbols.ImageFileRequest;
import io.ntrail.programs.symbols.OpenImage;
import io.ntrail.programs.symbols.PdbSearch.Tried;
import io.ntrail.programs.symbols.SymbolStores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Images of a recording, each opened when its code is asked for first. Only a file with the time
 * stamp and the size that were recorded is taken. Safe for use by several threads.
 */
final class CodeImages implements AutoCloseable {
  /**
   * Result of the search for one.
   *
   * @param image null if there is none
   * @param why the reason then
   */
  private record Found(@Nullable PeImage image, String why) {}

  private record Place(int file, long base) {}

  private final Images images;
  private final List<SymbolStores> stores;
  private final Map<ImageFileRequest, Found> byRequest = new HashMap<>();
  private final Map<Integer, Found> byFile = new HashMap<>();
  private final Map<Place, ImageSpace> spaces = new HashMap<>();
  private final List<OpenImage> opened = new ArrayList<>();

  /** Reasons by the names of the images that were asked for and are not there. */
  private final Map<String, String> missing = new TreeMap<>();

  CodeImages(Images images, List<SymbolStores> stores) {
    this.images = images;
    this.stores = List.copyOf(stores);
  }

  ImageFile file(int file) {
    return images.files().get(file);
  }

  /** Returns the image of a file; empty if it is not at hand. */
  synchronized Optional<PeImage> image(int file) {
    return Optional.ofNullable(byFile.computeIfAbsent(file, this::find).image);
  }

  /** Returns the reason why an image is not at hand; empty if it is. */
  synchronized String why(int file) {
    return byFile.computeIfAbsent(file, this::find).why;
  }

  /** Returns an image as it is loaded somewhere; null if it is not at hand. */
  synchronized @Nullable ImageSpace space(int file, long base) {
    PeImage image = image(file).orElse(null);
    return image == null
        ? null
        : spaces.computeIfAbsent(new Place(file, base), _ -> new ImageSpace(image, base));
  }

  private Found find(int number) {
    ImageFile file = stamped(images.files().get(number));
    ImageFileRequest request = ImageFileRequest.of(file.name(), file.id()).orElse(null);
    Found found =
        request == null
            ? new Found(null, "the recording does not tell its time stamp, which a file must have")
            : byRequest.computeIfAbsent(request, this::search);
    if (found.image == null) {
      missing.putIfAbsent(file.name(), found.why);
    }
    return found;
  }

  /** Lists of loaded images have no time stamps, which other events of the same image tell. */
  private ImageFile stamped(ImageFile file) {
    if (file.timeDateStamp() != 0) {
      return file;
    }
    List<ImageFile> same =
        images.files().stream()
            .filter(other ->
                other.timeDateStamp() != 0
                    && other.size() == file.size()
                    && other.name().equalsIgnoreCase(file.name()))
            .toList();
    long builds = same.stream().map(ImageFile::timeDateStamp).distinct().count();
    return builds == 1 ? same.getFirst() : file;
  }

  private Found search(ImageFileRequest request) {
    List<String> unusable = new ArrayList<>();
    for (SymbolStores place : stores) {
      SymbolStores.Result<OpenImage> result = place.find(request);
      OpenImage image = result.found().orElse(null);
      if (image != null) {
        opened.add(image);
        return new Found(image.image(), "");
      }
      result.tried().stream().filter(Tried::isThere).map(Tried::why).forEach(unusable::add);
    }
    String why = unusable.stream().distinct().collect(Collectors.joining("; "));
    return new Found(null, why.isEmpty() ? "not found" : why);
  }

  /** Returns the images that were asked for and are not there, each with the reason. */
  synchronized Map<String, String> missing() {
    return new TreeMap<>(missing);
  }

  /** Returns what could not be read of images. */
  synchronized List<Gap> gaps() {
    return opened.stream().flatMap(image -> image.image().gaps().stream()).toList();
  }

  @Override
  public synchronized void close() {
    opened.forEach(OpenImage::close);
    opened.clear();
  }
}

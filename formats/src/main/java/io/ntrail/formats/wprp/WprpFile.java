package io.ntrail.formats.wprp;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.XmlElement;
import java.util.ArrayList;
import java.util.List;

/**
 * File with recording profiles of WPR: collectors, providers and counters by their ids, and
 * profiles that refer to them or have them inside.
 *
 * <p>Source: Microsoft's pages of the elements of recording profiles, and published profiles.
 */
public final class WprpFile {
  private static final String ROOT = "WindowsPerformanceRecorder";

  private final String file;
  private final List<XmlElement> profiles = new ArrayList<>();
  private final ProfileElements elements;

  private WprpFile(String file, XmlElement root) {
    this.file = file;
    this.elements = new ProfileElements(file);
    for (XmlElement one : root.first("Profiles").map(XmlElement::children).orElse(List.of())) {
      if (one.name().equals("Profile")) {
        profiles.add(one);
      }
      elements.add(one);
    }
  }

  /**
   * Reads a file.
   *
   * @param xml its bytes
   * @param file for messages
   * @throws CannotGoOn if it has no profiles of WPR
   */
  public static WprpFile read(byte[] xml, String file) {
    XmlElement root = XmlElement.read(xml, file);
    WprpFile read = new WprpFile(file, root);
    if (!root.name().equals(ROOT) || read.profiles.isEmpty()) {
      throw new CannotGoOn(file + " has no recording profile of WPR", "");
    }
    return read;
  }

  /** Returns the ids of all profiles. */
  public List<String> ids() {
    return profiles.stream().map(profile -> profile.attribute("Id")).toList();
  }

  /**
   * Returns a profile.
   *
   * @param name of it, or its id; empty: the default or first one. Of several of one name WPR takes
   *     the most detailed one; of files and memory that in a file is taken here
   * @throws CannotGoOn if there is none, or it refers to what is not there
   */
  public RecordingProfile profile(String name) {
    List<XmlElement> fitting =
        profiles.stream()
            .filter(one ->
                name.isEmpty()
                    || one.attribute("Name").equalsIgnoreCase(name)
                    || one.attribute("Id").equalsIgnoreCase(name))
            .sorted((a, b) -> Integer.compare(rank(b, name), rank(a, name)))
            .toList();
    if (fitting.isEmpty()) {
      throw new CannotGoOn(
          "%s has no profile %s; it has %s".formatted(file, name, String.join(", ", ids())), "");
    }
    return new ProfileReader(elements, fitting.getFirst()).profile();
  }

  private static int rank(XmlElement profile, String name) {
    return (profile.attribute("Id").equalsIgnoreCase(name) ? 8 : 0)
        + (profile.attribute("Default").equals("true") ? 4 : 0)
        + (profile.attribute("LoggingMode").equals("File") ? 2 : 0)
        + (profile.attribute("DetailLevel").equals("Verbose") ? 1 : 0);
  }
}

package io.ntrail.analysis.calls;

import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.Exports.Export;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.ParsedImage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of routines from images that the user has: exports, and COFF symbols. An image counts only
 * if it is the one that was loaded: of the same size, and with the same PDB or, if the recording
 * does not know that, linked at the same time.
 */
public final class CallImageSymbols {
  /** No images. */
  public static final CallImageSymbols NONE = new CallImageSymbols();

  /** An image that was offered for a module, and is another one. */
  public record Wrong(String file, String module, String why) {}

  private final Map<CallModule, Map<Long, String>> names = new HashMap<>();
  private final List<Wrong> wrong = new ArrayList<>();

  /** None yet. */
  public CallImageSymbols() {}

  /**
   * Takes the names of an image for the modules of its file's name.
   *
   * @param fileName the last part of its path
   * @return for how many modules it counts
   */
  public int add(String fileName, PeImage image, List<CallModule> modules) {
    int taken = 0;
    ParsedImage contents = null;
    for (CallModule module : modules) {
      if (!CallNames.lower(module.name()).equals(CallNames.lower(fileName))) {
        continue;
      }
      contents = contents == null ? ParsedImage.of(image) : contents;
      String why = difference(contents, module);
      if (why == null) {
        names.put(module, namesOf(contents));
        taken++;
      } else {
        wrong.add(new Wrong(image.name(), module.name(), why));
      }
    }
    return taken;
  }

  private static @Nullable String difference(ParsedImage contents, CallModule module) {
    long size = contents.id().size();
    if (module.size() != size) {
      return "it takes " + size + " bytes in memory, not " + module.size();
    }
    PdbId pdb = contents.pdb().orElse(null);
    if (module.pdb() != null && pdb != null) {
      return module.pdb().equals(pdb) ? null : "its PDB is " + pdb.key();
    }
    boolean isOther = module.timestamp() != 0 && module.timestamp() != contents.id().timestamp();
    return isOther ? "it was linked at another time" : null;
  }

  private static Map<Long, String> namesOf(ParsedImage contents) {
    Map<Long, String> names = new HashMap<>();
    for (CoffSymbols.Symbol symbol : CoffSymbols.of(contents.image()).functions()) {
      names.putIfAbsent(symbol.rva(), symbol.name());
    }
    for (Export export : contents.exports().list()) {
      String name = export.name();
      if (export.forward() == null && name != null) {
        names.put(export.rva(), name);
      }
    }
    return names;
  }

  /** The name of what begins at an address of a module; null if unknown. */
  public @Nullable String name(CallModule module, long rva) {
    Map<Long, String> known = names.get(module);
    return known == null ? null : known.get(rva);
  }

  /** Images that were another one than was loaded. */
  public List<Wrong> wrong() {
    return List.copyOf(wrong);
  }

  /** Returns the number of modules that have names. */
  public int modules() {
    return names.size();
  }
}

package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.util.ArrayList;
import java.util.List;

/**
 * Code that a disassembly leaves out.
 *
 * @param arm bytes of ARM64 code
 * @param unclaimed bytes of executable sections that are in no known function; -1: only some
 *     functions were requested
 */
record CodeLeftOut(long arm, long unclaimed) {
  List<ImagePart.Remark> remarks() {
    List<ImagePart.Remark> remarks = new ArrayList<>();
    if (arm > 0) {
      remarks.add(new ImagePart.Remark(ofArm(arm), false));
    }
    if (unclaimed > 0) {
      remarks.add(
          new ImagePart.Remark(
              Numbers.counted(unclaimed, "byte")
                  + " of executable sections "
                  + (unclaimed == 1 ? "is" : "are")
                  + " in no known function",
              false));
    }
    return remarks;
  }

  static String ofArm(long bytes) {
    return Numbers.counted(bytes, "byte") + " of ARM64 code not disassembled";
  }

  /** Writes it as a member of an open object. */
  void json(Json json) {
    json.object("notDisassembled").number("arm64", arm);
    if (unclaimed < 0) {
      json.unknown("inNoFunction");
    } else {
      json.number("inNoFunction", unclaimed);
    }
    json.endObject();
  }
}

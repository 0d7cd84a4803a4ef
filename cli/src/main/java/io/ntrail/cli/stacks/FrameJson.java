package io.ntrail.cli.stacks;

import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Json;
import java.util.List;

/** Writes frames as objects. For one answer. */
final class FrameJson {
  private final ListingColumns<NamedFrame> members = StackRow.frameColumns();

  /** Writes frames as an array under a key. */
  void array(Json json, String key, List<NamedFrame> frames) {
    json.array(key);
    elements(json, frames);
    json.endArray();
  }

  /** Writes frames as elements of an open array. */
  void elements(Json json, List<NamedFrame> frames) {
    frames.forEach(frame -> members.object(json, frame));
  }

  /** Writes a frame as members of an open object. */
  void members(Json json, NamedFrame frame) {
    members.members(json, frame);
  }
}

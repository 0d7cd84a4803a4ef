package io.ntrail.analysis.calls;

import io.ntrail.analysis.naming.FrameKind;
import io.ntrail.analysis.profile.WeightTree;

/** Time of calls by path, with names. */
final class CallPathTree implements WeightTree {
  private final CallPathProfile paths;
  private final CallNames names;
  private final long[] inclusive;

  /** Creates a tree of what was added up, processes above their first calls. */
  CallPathTree(CallPathProfile paths, CallNames names) {
    this.paths = paths;
    this.names = names;
    this.inclusive = paths.inclusive();
  }

  @Override
  public int size() {
    return paths.size();
  }

  @Override
  public int parent(int node) {
    return paths.parent(node);
  }

  @Override
  public String text(int node) {
    if (node == 0) {
      return "all";
    }
    return paths.isProcess(node) ? paths.process(node) : names.text(paths.function(node));
  }

  @Override
  public FrameKind kind(int node) {
    return paths.isProcess(node) ? FrameKind.PROCESS : FrameKind.NATIVE;
  }

  @Override
  public boolean isOpen(int node) {
    return paths.isOpen(node);
  }

  @Override
  public long self(int node) {
    return paths.self(node);
  }

  @Override
  public long inclusive(int node) {
    return inclusive[node];
  }

  @Override
  public long cut() {
    return paths.cut();
  }
}

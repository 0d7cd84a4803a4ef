package io.ntrail.cli.command;

import io.ntrail.analysis.calls.CallNames;
import io.ntrail.analysis.calls.CallPaths;
import io.ntrail.analysis.profile.WeightTree;

/** The time of calls by path, with names. */
final class CallPathTree implements WeightTree {
  private final CallPaths paths;
  private final CallNames names;
  private final boolean byProcess;
  private final long[] inclusive;

  /**
   * A tree of what was added up.
   *
   * @param byProcess whether processes are nodes, above their first calls
   */
  CallPathTree(CallPaths paths, CallNames names, boolean byProcess) {
    this.paths = paths;
    this.names = names;
    this.byProcess = byProcess;
    this.inclusive = paths.inclusive();
  }

  private boolean isHidden(int node) {
    return !byProcess && paths.isProcess(node);
  }

  @Override
  public int size() {
    return paths.size();
  }

  @Override
  public int parent(int node) {
    int parent = paths.parent(node);
    return isHidden(parent) ? 0 : parent;
  }

  @Override
  public String text(int node) {
    if (node == 0) {
      return "all";
    }
    return paths.isProcess(node) ? paths.process(node) : names.text(paths.function(node));
  }

  @Override
  public long self(int node) {
    return paths.self(node);
  }

  @Override
  public long inclusive(int node) {
    return isHidden(node) ? 0 : inclusive[node];
  }

  @Override
  public long cut() {
    return paths.cut();
  }
}

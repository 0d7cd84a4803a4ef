package io.ntrail.programs.kernelcode;

import java.util.ArrayList;
import java.util.List;

/**
 * The instructions that a processor executes from a site on, written from the published table.
 *
 * @param addresses of each, from the site to where it goes on: behind the site for a call, whose
 *     target only returns, else the caller of the function with the jump
 */
record SitePath(List<Long> addresses) {
  /** Bytes of the call and of the move of a thunk that has both, and of the int3 between them. */
  private static final int CALL = 5;

  private static final int INT3 = 1;
  private static final int MOVE = 4;

  /**
   * Writes one down.
   *
   * @param base of the image
   * @param rewritten whether the variant rewrites the site
   * @param direct whether it goes to the target without a thunk
   * @param branch bytes of the branch behind the load of a slot: 5, or 3 through r10
   * @param page address of the retpoline page
   * @param dispatcher address of the code that control flow guard dispatches with
   * @param target that is called
   */
  static SitePath of(
      ExpectedSite site,
      long base,
      boolean rewritten,
      boolean direct,
      int branch,
      long page,
      long dispatcher,
      long target) {
    long start = base + site.rva();
    List<Long> path = new ArrayList<>();
    path.add(start);
    if (rewritten && site.symbol() == 3) {
      // The load of the slot comes first.
      path.add(start + 7);
    }
    if (!rewritten && site.checked()) {
      path.add(dispatcher);
    }
    if (rewritten && !direct) {
      long thunk = page + site.thunk();
      path.add(thunk);
      if (site.symbol() == 5) {
        path.add(thunk + MOVE);
      } else {
        path.add(thunk + CALL + INT3);
        path.add(thunk + CALL + INT3 + MOVE);
      }
    }
    path.add(target);
    if (site.call()) {
      fill(site, start, rewritten, branch, path);
    }
    return new SitePath(path);
  }

  /** The no-ops between the return address of a call and the end of the site. */
  private static void fill(
      ExpectedSite site, long start, boolean rewritten, int branch, List<Long> path) {
    long end = start + site.length();
    if (rewritten) {
      long at = start + (site.symbol() == 3 ? 7 + branch : 5);
      for (; at < end; at++) {
        path.add(at);
      }
    } else if (!site.checked()) {
      path.add(start + (site.symbol() == 3 ? 7 : 2));
    }
  }
}

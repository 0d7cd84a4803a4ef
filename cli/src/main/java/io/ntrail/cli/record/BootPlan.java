package io.ntrail.cli.record;

import io.ntrail.formats.registry.RegistryChanges;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Recording of starts: a session of the kernel, one of providers, or both.
 *
 * @param kernel what the kernel logs; empty: nothing
 * @param providers that log into a session of their own; empty: none
 * @param notes of what will be missing in the recording
 */
record BootPlan(
    Optional<BootRequest> kernel, Optional<BootProviders> providers, List<String> notes) {
  /** Keeps the list from changes. */
  BootPlan {
    notes = List.copyOf(notes);
  }

  /** Makes one of the kernel alone. */
  BootPlan(BootRequest kernel) {
    this(Optional.of(kernel), Optional.empty(), kernel.notes());
  }

  /** Sets it up. */
  void set(RegistryChanges to) {
    kernel.ifPresent(its -> its.session().set(to));
    providers.ifPresent(its -> its.set(to));
  }

  /** Removes what was set up. */
  void remove(RegistryChanges from) {
    kernel.ifPresent(its -> BootSession.remove(its.session().kind(), from));
    if (providers.isPresent()) {
      BootProviders.remove(from);
    }
  }

  /** Returns the kind of the kernel's session. */
  Optional<Kind> kind() {
    return kernel.map(its -> its.session().kind());
  }

  /** Returns the names of its sessions. */
  List<String> sessions() {
    return Stream.concat(
            kind().map(Kind::session).stream(), providers.map(_ -> BootProviders.SESSION).stream())
        .toList();
  }

  /** Returns the keys of its sessions. */
  List<String> keys() {
    return Stream.concat(
            kind().map(Kind::key).stream(), providers.map(_ -> BootProviders.KEY).stream())
        .toList();
  }
}

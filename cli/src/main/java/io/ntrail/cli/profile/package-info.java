/** {@code ntrail profile}: weights by function, module, process or call path. */
@NullMarked
package io.ntrail.cli.profile;

import org.jspecify.annotations.NullMarked;

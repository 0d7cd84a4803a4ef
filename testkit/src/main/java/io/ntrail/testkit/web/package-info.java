/** Symbol servers on this machine: good ones, and any misbehaviour. */
@NullMarked
package io.ntrail.testkit.web;

import org.jspecify.annotations.NullMarked;

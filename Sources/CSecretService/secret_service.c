#include "docent_secret_service.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

// The API of org.freedesktop.secrets, as far as it is needed: one collection, no prompts, and nothing but a bus of this
// user between the two, so that secrets go over it as they are.

#define SERVICE "org.freedesktop.secrets"
#define ROOT "/org/freedesktop/secrets"
#define API "org.freedesktop.Secret."
#define APPLICATION "org.docent"

struct session {
    sd_bus *bus;
    /// When the whole call has to be over.
    uint64_t deadline;
    char path[512];
};

static uint64_t microseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/// Never 0, which would be sd-bus's own time.
static uint64_t time_left(const struct session *session) {
    uint64_t now = microseconds_now();
    return now < session->deadline ? session->deadline - now : 1;
}

/// What is asked next may take what is left of the time.
static sd_bus *in_time(struct session *session) {
    sd_bus_set_method_call_timeout(session->bus, time_left(session));
    return session->bus;
}

static int because(struct docent_secret_call *call, int code, const sd_bus_error *error, const char *what) {
    const char *words = error && error->message ? error->message : strerror(-code);
    snprintf(call->reason, sizeof call->reason, "%s: %s", what, words);
    return code;
}

static int refuse(struct docent_secret_call *call, int code, const char *why) {
    snprintf(call->reason, sizeof call->reason, "%s", why);
    return code;
}

static int locked(struct docent_secret_call *call) { return refuse(call, -EACCES, "the keyring is locked"); }

static int open_at(const char *address, sd_bus **bus) {
    int result = sd_bus_new(bus);
    if (result >= 0) result = sd_bus_set_address(*bus, address);
    if (result >= 0) result = sd_bus_set_bus_client(*bus, 1);
    if (result >= 0) result = sd_bus_start(*bus);
    return result;
}

/// A call would wait for a bus that says nothing for longer than it may take.
static int wait_until_ready(struct session *session) {
    int result;
    while ((result = sd_bus_is_ready(session->bus)) == 0) {
        result = sd_bus_process(session->bus, NULL);
        if (result < 0) return result;
        if (microseconds_now() >= session->deadline) return -ETIMEDOUT;
        if (result == 0) result = sd_bus_wait(session->bus, time_left(session));
        if (result < 0) return result;
    }
    return result < 0 ? result : 0;
}

/// A bus of this call's own: what somebody else left half read on a shared one is nothing to wait for.
static int begin(struct docent_secret_call *call, struct session *session) {
    session->bus = NULL;
    session->deadline = microseconds_now() + call->microseconds;
    call->reason[0] = 0;
    int result = call->address ? open_at(call->address, &session->bus) : sd_bus_open_user(&session->bus);
    if (result < 0) return refuse(call, -ENOENT, "there is no session bus");
    result = wait_until_ready(session);
    if (result < 0) return because(call, result, NULL, "the session bus does not answer");
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const char *path = NULL;
    result = sd_bus_call_method(
        in_time(session), SERVICE, ROOT, API "Service", "OpenSession", &error, &reply, "sv", "plain", "s", "");
    if (result >= 0) result = sd_bus_message_skip(reply, "v");
    if (result >= 0) result = sd_bus_message_read(reply, "o", &path);
    if (result >= 0 && strlen(path) >= sizeof session->path) result = -EBADMSG;
    if (result >= 0) strcpy(session->path, path);
    if (result < 0) {
        int isMissing = sd_bus_error_has_name(&error, SD_BUS_ERROR_SERVICE_UNKNOWN)
            || sd_bus_error_has_name(&error, SD_BUS_ERROR_NAME_HAS_NO_OWNER);
        result = because(call, isMissing ? -ENOENT : result, &error, "the service does not answer");
    }
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    return result < 0 ? result : 0;
}

/// Nothing is flushed: whoever does not read would be waited for.
static void end(struct session *session) { sd_bus_close_unref(session->bus); }

/// Whether a collection is the one that is in memory only, and gone with the session. Not every service has one.
static int is_of_session(struct session *session, const char *path) {
    sd_bus_message *reply = NULL;
    const char *found = NULL;
    int result = sd_bus_call_method(
        in_time(session), SERVICE, ROOT, API "Service", "ReadAlias", NULL, &reply, "s", "session");
    if (result >= 0) result = sd_bus_message_read(reply, "o", &found);
    int isSame = result >= 0 && found && !strcmp(found, path);
    sd_bus_message_unref(reply);
    return isSame;
}

static int collection(struct docent_secret_call *call, struct session *session, char *path, size_t room) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    const char *found = NULL;
    int result = sd_bus_call_method(
        in_time(session), SERVICE, ROOT, API "Service", "ReadAlias", &error, &reply, "s", "default");
    if (result >= 0) result = sd_bus_message_read(reply, "o", &found);
    if (result < 0) {
        because(call, result, &error, "the default keyring cannot be asked for");
    } else if (!strcmp(found, "/") || strlen(found) >= room) {
        result = refuse(call, -ENOENT, "there is no default keyring");
    } else {
        strcpy(path, found);
    }
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    if (result < 0) return result;
    if (is_of_session(session, path)) return refuse(call, -ENOENT, "there is no default keyring but one in memory");
    int isLocked = 1;
    result = sd_bus_get_property_trivial(
        in_time(session), SERVICE, path, API "Collection", "Locked", &error, 'b', &isLocked);
    if (result < 0) because(call, result, &error, "the default keyring cannot be looked at");
    sd_bus_error_free(&error);
    if (result < 0) return result;
    return isLocked ? locked(call) : 0;
}

static int search(
    struct docent_secret_call *call, struct session *session, const char *name, sd_bus_message **reply) {
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int result = sd_bus_call_method(
        in_time(session), SERVICE, ROOT, API "Service", "SearchItems", &error, reply, "a{ss}", 3, "application",
        APPLICATION, "owner", call->owner, "name", name);
    if (result < 0) because(call, result, &error, "what it keeps cannot be looked for");
    sd_bus_error_free(&error);
    return result < 0 ? result : 0;
}

/// The first unlocked item with a name.
static int item(struct docent_secret_call *call, struct session *session, const char *name, char *path, size_t room) {
    sd_bus_message *reply = NULL;
    int result = search(call, session, name, &reply);
    path[0] = 0;
    for (int kind = 0; result >= 0 && kind < 2; kind++) {
        result = sd_bus_message_enter_container(reply, 'a', "o");
        const char *found;
        while (result >= 0 && (result = sd_bus_message_read(reply, "o", &found)) > 0) {
            if (path[0]) continue;
            if (kind == 1) {
                result = locked(call);
            } else if (strlen(found) < room) {
                strcpy(path, found);
            }
        }
        if (result >= 0) result = sd_bus_message_exit_container(reply);
    }
    sd_bus_message_unref(reply);
    if (result < 0) return call->reason[0] ? result : because(call, result, NULL, "its answer makes no sense");
    return path[0] ? 0 : -ENOENT;
}

int docent_secret_service_state(struct docent_secret_call *call) {
    struct session session;
    char path[512];
    int result = begin(call, &session);
    if (result >= 0) result = collection(call, &session, path, sizeof path);
    end(&session);
    return result;
}

int docent_secret_service_store(
    struct docent_secret_call *call, const char *name, const char *label, const void *secret, size_t count) {
    struct session session;
    char path[512];
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *message = NULL, *reply = NULL;
    int result = begin(call, &session);
    if (result >= 0) result = collection(call, &session, path, sizeof path);
    if (result >= 0) {
        const char *made = NULL, *prompt = NULL;
        result = sd_bus_message_new_method_call(
            session.bus, &message, SERVICE, path, API "Collection", "CreateItem");
        if (result >= 0) {
            result = sd_bus_message_append(
                message, "a{sv}", 2, API "Item.Label", "s", label, API "Item.Attributes", "a{ss}", 3, "application",
                APPLICATION, "owner", call->owner, "name", name);
        }
        if (result >= 0) result = sd_bus_message_sensitive(message);
        if (result >= 0) result = sd_bus_message_open_container(message, 'r', "oayays");
        if (result >= 0) result = sd_bus_message_append(message, "o", session.path);
        if (result >= 0) result = sd_bus_message_append_array(message, 'y', NULL, 0);
        if (result >= 0) result = sd_bus_message_append_array(message, 'y', secret, count);
        if (result >= 0) result = sd_bus_message_append(message, "s", "text/plain; charset=utf8");
        if (result >= 0) result = sd_bus_message_close_container(message);
        if (result >= 0) result = sd_bus_message_append(message, "b", 1);
        if (result >= 0) result = sd_bus_call(session.bus, message, time_left(&session), &error, &reply);
        if (result >= 0) result = sd_bus_message_read(reply, "oo", &made, &prompt);
        if (result < 0) {
            because(call, result, &error, "it does not keep anything");
        } else if (!strcmp(made, "/")) {
            // Somebody would have to be asked, and nobody may be there.
            sd_bus_call_method(in_time(&session), SERVICE, prompt, API "Prompt", "Dismiss", NULL, NULL, "");
            result = locked(call);
        }
    }
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    sd_bus_message_unref(message);
    end(&session);
    return result < 0 ? result : 0;
}

int64_t docent_secret_service_find(struct docent_secret_call *call, const char *name, void *secret, size_t room) {
    struct session session;
    char path[512];
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message *reply = NULL;
    size_t count = 0;
    int result = begin(call, &session);
    if (result >= 0) result = item(call, &session, name, path, sizeof path);
    if (result >= 0) {
        const void *bytes = NULL;
        result = sd_bus_call_method(
            in_time(&session), SERVICE, path, API "Item", "GetSecret", &error, &reply, "o", session.path);
        if (result >= 0) sd_bus_message_sensitive(reply);
        if (result >= 0) result = sd_bus_message_enter_container(reply, 'r', "oayays");
        if (result >= 0) result = sd_bus_message_skip(reply, "oay");
        if (result >= 0) result = sd_bus_message_read_array(reply, 'y', &bytes, &count);
        if (result >= 0) {
            if (count > 0) memcpy(secret, bytes, count < room ? count : room);
        } else {
            int isLocked = sd_bus_error_has_name(&error, "org.freedesktop.Secret.Error.IsLocked");
            result = isLocked ? locked(call) : because(call, result, &error, "it does not give back what it keeps");
        }
    }
    sd_bus_error_free(&error);
    sd_bus_message_unref(reply);
    end(&session);
    return result < 0 ? result : (int64_t)count;
}

int docent_secret_service_remove(struct docent_secret_call *call, const char *name) {
    struct session session;
    char path[512], last[512] = "";
    int result = begin(call, &session);
    while (result >= 0 && (result = item(call, &session, name, path, sizeof path)) >= 0) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus_message *reply = NULL;
        const char *prompt = NULL;
        if (!strcmp(path, last)) {
            result = refuse(call, -EIO, "what it keeps does not go");
            break;
        }
        strcpy(last, path);
        result = sd_bus_call_method(in_time(&session), SERVICE, path, API "Item", "Delete", &error, &reply, "");
        if (result >= 0) result = sd_bus_message_read(reply, "o", &prompt);
        if (result < 0) {
            because(call, result, &error, "it does not remove what it keeps");
        } else if (strcmp(prompt, "/")) {
            sd_bus_call_method(in_time(&session), SERVICE, prompt, API "Prompt", "Dismiss", NULL, NULL, "");
            result = locked(call);
        }
        sd_bus_error_free(&error);
        sd_bus_message_unref(reply);
    }
    end(&session);
    return result == -ENOENT && !call->reason[0] ? 0 : result;
}

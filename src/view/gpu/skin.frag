// The character: a studio of a large soft key light, a cool fill, a rim from behind and a bright
// room, all of it analytic. Defined by skin_material.rs: FIELD, for the same light, flatter, over a
// field's colours.

uniform vec3 eyePosition;
uniform vec3 keyDirection;
uniform vec3 fillDirection;
uniform vec3 rimDirection;
// 1 where light is ignored.
uniform float isUnlit;
uniform float groundHeight;
uniform float size;
// How open the surface is, as the camera sees it.
uniform sampler2D opennessTexture;
uniform vec2 pixelSize;

centroid in vec3 pos;
centroid in vec3 nor;

layout (location = 0) out vec4 outColor;

// Roots in place of powers, as in `toLinear`.
vec3 toSrgb(vec3 c)
{
    c = clamp(c, 0.0, 1.0);
    vec3 s1 = sqrt(c);
    vec3 s2 = sqrt(s1);
    vec3 s3 = sqrt(s2);
    return 0.662002687 * s1 + 0.684122060 * s2 - 0.323583601 * s3 - 0.0225411470 * c;
}

// Khronos PBR Neutral: base colours stay what they are, highlights roll off.
vec3 toneMap(vec3 color)
{
    const float startCompression = 0.8 - 0.04;
    const float desaturation = 0.15;
    float x = min(color.r, min(color.g, color.b));
    float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
    color -= offset;
    float peak = max(color.r, max(color.g, color.b));
    if (peak < startCompression)
    {
        return color;
    }
    float d = 1.0 - startCompression;
    float newPeak = 1.0 - d * d / (peak + d - startCompression);
    color *= newPeak / peak;
    float g = 1.0 - 1.0 / (desaturation * (peak - newPeak) + 1.0);
    return mix(color, vec3(newPeak), g);
}

// The room: bright above, warm below, with a soft window where the key light is.
vec3 room(vec3 direction)
{
    vec3 light = mix(vec3(0.30, 0.27, 0.25), vec3(0.86, 0.92, 1.0), direction.y * 0.5 + 0.5);
    return light + smoothstep(0.33, 1.04, dot(direction, keyDirection)) * vec3(1.5, 1.4, 1.25);
}

float wrapped(vec3 n, vec3 l, float wrap)
{
    return max((dot(n, l) + wrap) / (1.0 + wrap), 0.0);
}

float highlight(vec3 n, vec3 v, vec3 l, float roughness)
{
    vec3 h = normalize(v + l);
    float a = roughness * roughness;
    float nh = max(dot(n, h), 0.0);
    float d = nh * nh * (a * a - 1.0) + 1.0;
    return a * a / (3.14159 * d * d) * max(dot(n, l), 0.0) * 0.25;
}

// The floor takes light from what is low and faces down.
float nearGround(vec3 n)
{
    float height = clamp((pos.y - groundHeight) / (0.22 * size), 0.0, 1.0);
    float down = 0.5 - 0.5 * n.y;
    return mix(1.0, mix(0.45, 1.0, sqrt(height)), 0.25 + 0.75 * down);
}

// Four places, so that the grain of few samples evens out.
float openness()
{
    vec2 place = gl_FragCoord.xy * pixelSize;
    vec2 texel = 1.0 / vec2(textureSize(opennessTexture, 0));
    float sum = texture(opennessTexture, place + texel * vec2(0.5, 1.0)).r
        + texture(opennessTexture, place + texel * vec2(-1.0, 0.5)).r
        + texture(opennessTexture, place + texel * vec2(-0.5, -1.0)).r
        + texture(opennessTexture, place + texel * vec2(1.0, -0.5)).r;
    return 0.25 * sum;
}

#ifdef FIELD

uniform sampler2D mapTexture;
uniform vec3 unknownColor;
// 1: numbers through the colour map, 2: colours by category, 3: the same below dark bands.
uniform int mode;

const vec3 bandColor = vec3(0.12, 0.13, 0.16);

in float place;
centroid in vec4 channelMargins;
centroid in vec3 tints[4];

// Of the categories at the triangle's corners the one that is largest here, with a soft edge of a
// pixel.
vec3 categoryColor()
{
    int first = 0;
    for (int i = 1; i < 4; i++)
    {
        first = channelMargins[i] > channelMargins[first] ? i : first;
    }
    int second = first == 0 ? 1 : 0;
    for (int i = 0; i < 4; i++)
    {
        second = i != first && channelMargins[i] > channelMargins[second] ? i : second;
    }
    vec4 steps = fwidth(channelMargins);
    float lead = (channelMargins[first] - channelMargins[second]) / max(steps[first] + steps[second], 1e-12);
    vec3 color = tints[first] / max(channelMargins[first], 1e-12);
    // Next to nothing is what rounding leaves where only one category is.
    vec3 other = channelMargins[second] > 1e-4 * channelMargins[first] ? tints[second] / channelMargins[second] : color;
    return mix(other, color, min(0.5 + lead, 1.0));
}

vec3 fieldColor()
{
    if (mode == 1)
    {
        vec3 mapped = texture(mapTexture, vec2(place * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
        // What is unknown is -1; edges that are sampled beside their triangle fall a little below
        // zero.
        return place < -0.25 ? unknownColor : mapped;
    }
    vec3 color = categoryColor();
    if (mode == 3)
    {
        // A clean edge halfway between vertices that are covered and vertices that are not.
        float edge = max(fwidth(place), 1e-4);
        color = mix(color, bandColor, smoothstep(0.5 - edge, 0.5 + edge, place));
    }
    return color;
}

#endif

void main()
{
    vec4 base = baseColorHere();
#ifndef FIELD
    if (isUnlit > 0.5)
    {
        outColor = vec4(toSrgb(base.rgb), base.a);
        return;
    }
#endif

    vec3 n = normalize(nor);
    n = gl_FrontFacing ? n : -n;
    vec3 v = normalize(eyePosition - pos);
    float facing = max(dot(n, v), 0.0);
    float open = openness();
    float occlusion = nearGround(n) * open;

#ifdef FIELD
    float light = 0.50 + 0.16 * n.y + 0.50 * wrapped(n, keyDirection, 0.5)
        + 0.10 * wrapped(n, fillDirection, 0.5) + 0.05 * facing;
    vec3 lit = toLinear(fieldColor()) * light * mix(0.35, 1.0, occlusion);
    lit += 0.05 * highlight(n, v, keyDirection, 0.5);
    outColor = vec4(toSrgb(lit), 1.0);
#else
    const float roughness = 0.58;
    vec3 ambient = mix(vec3(0.190, 0.165, 0.155), vec3(0.400, 0.430, 0.475), n.y * 0.5 + 0.5);
    vec3 light = ambient * occlusion;
    light += vec3(1.0, 0.955, 0.89) * 0.98 * wrapped(n, keyDirection, 0.10) * mix(0.35, 1.0, open);
    light += vec3(0.72, 0.84, 1.0) * 0.15 * wrapped(n, fillDirection, 0.35);
    vec3 color = base.rgb * light;

    float away = 1.0 - facing;
    float fresnel = 0.04 + 0.77 * away * away * away * away * away * (1.0 - roughness);
    vec3 mirrored = room(reflect(-v, n));
    color += mirrored * fresnel * 0.75 * occlusion;
    color += vec3(1.0, 0.96, 0.9) * 0.10 * highlight(n, v, keyDirection, roughness);
    // The rim only catches edges, so that it never flattens the middle.
    color += vec3(0.9, 0.95, 1.0) * away * away * 0.45 * wrapped(n, rimDirection, 0.1) * mix(vec3(0.5), base.rgb, 0.5);

    outColor = vec4(toSrgb(toneMap(color)), base.a);
#endif
}

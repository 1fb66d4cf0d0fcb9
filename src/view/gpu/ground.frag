// The ground: grid lines that fade with distance and where they would flicker, and the shadow.

uniform vec3 center;
uniform float halfSize;
uniform vec3 eyePosition;
uniform float spacing;
uniform vec3 gridColor;
uniform float gridStrength;
uniform float shadowStrength;
uniform sampler2D shadowTexture;
uniform float shadowHalfSize;

in vec2 place;

layout (location = 0) out vec4 outColor;

// How much of a pixel lines `width` pixels wide cover, one per unit of `cell`.
float lines(vec2 cell, vec2 pixel, float width)
{
    vec2 away = abs(fract(cell - 0.5) - 0.5) / pixel;
    vec2 cover = clamp(0.5 * width + 0.5 - away, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.5, pixel));
    return max(cover.x, cover.y);
}

void main()
{
    float away = length(place) / halfSize;
    float fade = 1.0 - smoothstep(0.10, 0.85, away);
    // Seen at a grazing angle or from below, the ground steps back.
    vec3 toEye = normalize(eyePosition - (center + vec3(place.x, 0.0, place.y)));
    float above = smoothstep(-0.02, 0.16, toEye.y);

    vec2 cell = (center.xz + place) / spacing;
    vec2 pixel = max(fwidth(cell), 1e-6);
    float grid = max(0.30 * lines(cell, pixel, 1.0), lines(cell * 0.1, pixel * 0.1, 1.3));
    float gridAlpha = grid * gridStrength * fade * fade * mix(0.35, 1.0, above);

    vec2 shadowPlace = place / shadowHalfSize * 0.5 + 0.5;
    vec2 inside = step(abs(shadowPlace - 0.5), vec2(0.5));
    vec2 shadow = texture(shadowTexture, shadowPlace).rg * inside.x * inside.y;
    float shade = 1.0 - (1.0 - 0.60 * shadow.r) * (1.0 - 0.90 * shadow.g);
    float shadowAlpha = shade * shadowStrength * smoothstep(-0.01, 0.05, toEye.y);

    float alpha = 1.0 - (1.0 - gridAlpha) * (1.0 - shadowAlpha);
    vec3 color = gridColor * gridAlpha * (1.0 - shadowAlpha) + vec3(0.05, 0.06, 0.08) * shadowAlpha;
    outColor = vec4(color / max(alpha, 1e-4), alpha);
}
